import { expect, test } from 'vitest';
import { accountRoutes } from '../../support/access/account-routes.ts';
import { memberRoutes, organizationRoutes } from '../../support/access/organization-routes.ts';
import { names, ownerOnly, ungrantable } from '../../support/access/permissions.ts';
import { personalRoutes } from '../../support/access/personal-routes.ts';
import { teamRoutes } from '../../support/access/team-routes.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';

const table = [
  ...accountRoutes,
  ...personalRoutes,
  ...organizationRoutes,
  ...memberRoutes,
  ...teamRoutes,
];

test('the access table contains every declared route exactly once', async () => {
  const declared = (await declaredRoutes()).map(({ method, path }) => `${method} ${path}`);

  expect(table.map(({ route }) => route).toSorted()).toEqual(declared.toSorted());
});

test('there are 21 personal, 48 organization and 40 team permissions', () => {
  expect([
    names.personal.length + ungrantable.length,
    names.organization.length,
    names.team.length,
  ]).toEqual([21, 48, 40]);
});

/** Permissions that no route names. */
const withoutRoute = [
  // These give access indirectly: to all of a team, every team's record, and four policy families.
  'can_update_all_organization_teams',
  'can_view_organization_teams',
  'can_view_team_policies',
  'can_update_team_policies',
];

test('every other permission is required by a route, and no route requires an unknown permission', () => {
  const needed = new Set(
    table.flatMap(({ needs }) => needs.split('+')).filter((name) => /^can_|:/.test(name)),
  );
  const all = [...Object.values(names).flat(), ...ungrantable, ...ownerOnly];

  expect([...needed, ...withoutRoute].toSorted()).toEqual(all.toSorted());
});
