import { expect, test } from 'vitest';
import { accountRoutes } from '../../support/access/account-routes.ts';
import { memberRoutes, organizationRoutes } from '../../support/access/organization-routes.ts';
import { everyTeam, names, withImplied } from '../../support/access/permissions.ts';
import type { Row } from '../../support/access/table.ts';
import { teamRoutes } from '../../support/access/team-routes.ts';
import { createAcme } from './acme.ts';
import { deviations, deviationsInTurn } from './matrix.ts';
import { createHolders } from './holders.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const acme = await closeAfterTests(createAcme());
const holders = await createHolders(acme);

const isOpen = ({ needs }: Row) => !needs.startsWith('can_');

test.each(names.organization)(
  'a caller with only %s can use exactly the routes of an organization that require it',
  async (permission) => {
    const { main, others } = await holders.inOrganization([permission]);
    const opened = withImplied([permission]);
    const inTeams = permission === everyTeam ? teamRoutes : [];
    const needing = organizationRoutes.filter(({ needs }) => opened.has(needs));

    const turn = names.organization.indexOf(permission);
    const rows = [...organizationRoutes, ...inTeams];
    expect(await deviationsInTurn(acme, rows, main, turn)).toEqual([]);
    expect(await deviations(acme, [...needing, ...inTeams], others)).toEqual([]);
  },
  300_000,
);

test('every member can use the routes that require no permission, and `me` is open only to its owner', async () => {
  const { main, others } = await holders.inOrganization([]);
  const rows = [...accountRoutes, ...organizationRoutes].filter(isOpen);

  // Routes of a session's own account are tested elsewhere: they may delete what this file needs.
  const isTested = ({ needs }: Row) => needs !== 'self' && needs !== 'public';
  const callers = [...main, ...others];
  expect(await deviations(acme, [...rows.filter(isTested), ...memberRoutes], callers)).toEqual([]);
});

test('no other permission of the organization gives access to a team', async () => {
  const { main, others } = await holders.inOrganization(
    names.organization.filter((name) => name !== everyTeam),
  );

  expect(await deviations(acme, teamRoutes, [...main, ...others])).toEqual([]);
});
