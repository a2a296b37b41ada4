import { afterAll, beforeAll, expect, test } from 'vitest';
import { askAs, outcomeOf } from '../../support/people/organizations.ts';
import { createTeamsWorld } from '../../support/people/teams.ts';
import type { TeamsWorld } from '../../support/people/teams.ts';

let teams: TeamsWorld;
beforeAll(async () => {
  teams = await createTeamsWorld();
});
afterAll(() => teams?.close());

// organizations.md 1: the name of a role is “unique in the organization without case”.
test.each([
  ['ΟΔΟΣ', 'ΟΔΟΣ'.toLowerCase()],
  ['Straße', 'Straße'.toUpperCase()],
])('%s and %s differ only in case, so they are the same name of a role', async (name, other) => {
  const { id, owner } = await teams.organization();
  const outcomes: unknown[] = [];
  for (const path of ['roles', 'team-roles'])
    for (const taken of [name, other]) {
      const body = { name: taken, permissions: [], capabilities: [] };
      const created = await askAs(owner, { path: `/api/organizations/${id}/${path}`, body });
      outcomes.push(outcomeOf(created));
    }

  expect(outcomes).toEqual([[201], [409, 'name_taken'], [201], [409, 'name_taken']]);
});
