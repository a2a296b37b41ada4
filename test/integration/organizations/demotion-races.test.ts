import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { driftOf, outcomeOf } from '../../support/people/organizations.ts';
import { createTeamsWorld } from '../../support/people/teams.ts';
import type { TeamsWorld } from '../../support/people/teams.ts';
import { interleaved } from '../../support/worlds/interleaved.ts';
import { clientGrants, clientGrantsInTeam } from './client-grants.ts';
import { createGrantor } from './demoted-grantor.ts';
import type { Grantor } from './demoted-grantor.ts';
import { keyGrants, keyGrantsInTeam } from './key-grants.ts';
import { roleGrants, roleGrantsInTeam } from './role-grants.ts';

let teams: TeamsWorld;
let setup: Grantor;
beforeAll(async () => {
  teams = await createTeamsWorld();
  setup = await createGrantor(teams);
});
beforeEach(() => setup.restore());
afterAll(() => teams?.close());

test.each([...roleGrants, ...keyGrants, ...clientGrants])(
  'a permission or capability that its holder loses between decision and commit is not granted when the holder %s (P6)',
  async (_what, prepare, refused) => {
    const sendGrant = await prepare(setup);

    const [granted, demoted] = await interleaved(
      teams.world,
      setup.grantor.account_id,
      sendGrant,
      setup.demote,
    );

    expect([outcomeOf(granted), outcomeOf(demoted)]).toEqual([refused, [200]]);
  },
);

test.each([...roleGrantsInTeam, ...keyGrantsInTeam, ...clientGrantsInTeam])(
  'a team permission that its holder loses between decision and commit is not granted when the holder %s (P6)',
  async (_what, prepare, refused) => {
    const sendGrant = await prepare(setup);

    const [granted, demoted] = await interleaved(
      teams.world,
      setup.grantor.account_id,
      sendGrant,
      setup.demoteInTeam,
    );

    expect([outcomeOf(granted), outcomeOf(demoted)]).toEqual([refused, [200]]);
  },
);

test('after all these tests the tuples match the rows', async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});
