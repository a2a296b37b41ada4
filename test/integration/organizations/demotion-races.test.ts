import { afterAll, beforeAll, expect, test } from 'vitest';
import { driftOf, outcomeOf } from '../../support/people/organizations.ts';
import { createTeamsWorld } from '../../support/people/teams.ts';
import type { TeamsWorld } from '../../support/people/teams.ts';
import { interleaved } from '../../support/worlds/interleaved.ts';
import { createGiver } from './demoted-giver.ts';
import { keyGrants, keyGrantsInTeam } from './key-grants.ts';
import { roleGrants, roleGrantsInTeam } from './role-grants.ts';

let teams: TeamsWorld;
beforeAll(async () => {
  teams = await createTeamsWorld();
});
afterAll(() => teams?.close());

test.each([...roleGrants, ...keyGrants])(
  'a permission or capability that its holder loses between decision and commit is not granted when the holder %s (P6)',
  async (_what, prepare, refused) => {
    const setup = await createGiver(teams);
    const sendGrant = await prepare(setup);

    const [given, demoted] = await interleaved(
      teams.world,
      setup.giver.account_id,
      sendGrant,
      setup.demote,
    );

    expect([outcomeOf(given), outcomeOf(demoted)]).toEqual([refused, [200]]);
  },
);

test.each([...roleGrantsInTeam, ...keyGrantsInTeam])(
  'a team permission that its holder loses between decision and commit is not granted when the holder %s (P6)',
  async (_what, prepare, refused) => {
    const setup = await createGiver(teams);
    const sendGrant = await prepare(setup);

    const [given, demoted] = await interleaved(
      teams.world,
      setup.giver.account_id,
      sendGrant,
      setup.demoteInTeam,
    );

    expect([outcomeOf(given), outcomeOf(demoted)]).toEqual([refused, [200]]);
  },
);

test('after all these tests the tuples match the rows', async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});
