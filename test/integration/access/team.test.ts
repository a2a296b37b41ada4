import { expect, test } from 'vitest';
import { organizationRoutes } from '../../support/access/organization-routes.ts';
import { names, withImplied } from '../../support/access/permissions.ts';
import { teamRoutes } from '../../support/access/team-routes.ts';
import { createAcme } from './acme.ts';
import { deviations, deviationsInTurn } from './matrix.ts';
import { createHolders } from './holders.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const acme = await closeAfterTests(createAcme());
const holders = await createHolders(acme);

test.each(names.team)(
  'a caller with only %s can use exactly the routes of a team that require it',
  async (permission) => {
    const { main, others } = await holders.inTeam([permission]);
    const opened = withImplied([permission]);
    const needing = teamRoutes.filter(({ needs }) => opened.has(needs));

    const turn = names.team.indexOf(permission);
    expect(await deviationsInTurn(acme, teamRoutes, main, turn)).toEqual([]);
    expect(await deviations(acme, needing, others)).toEqual([]);
  },
  300_000,
);

test('all permissions of a team together give access to no other team and no route of its organization', async () => {
  const { main, others } = await holders.inTeam(names.team);
  const rows = [...organizationRoutes, ...teamRoutes];

  expect(await deviations(acme, rows, [...main, ...others])).toEqual([]);
});
