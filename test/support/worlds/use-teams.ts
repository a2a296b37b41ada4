import { createTeamsWorld } from '../people/teams.ts';
import { closeAfterTests } from './close-after-tests.ts';

/** Starts a world of two gateways for a test file, where people join organizations and teams. */
export const useTeams = (env: Record<string, string> = {}) =>
  closeAfterTests(createTeamsWorld(env));
