import { expect, test } from 'vitest';
import { UNUSABLE } from '../../../src/dashboard/keys/key-values.ts';
import { createGrantWarnings, findUnusable } from '../../../src/keys/unusable-grants.ts';
import { organizationRoutes } from '../../support/access/organization-routes.ts';
import { names } from '../../support/access/permissions.ts';
import { personalRoutes } from '../../support/access/personal-routes.ts';
import { teamRoutes } from '../../support/access/team-routes.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';

test('a permission is of no use to a key if every route that requires it is for sessions or tokens', async () => {
  const rows = [...personalRoutes, ...organizationRoutes, ...teamRoutes];
  const isForKeys = (name: string) =>
    rows.some(({ needs, who }) => needs === name && who !== 'session' && who !== 'token');
  const isRequired = (name: string) => rows.some(({ needs }) => needs === name);
  const expected = Object.values(names)
    .flat()
    .filter((name) => isRequired(name) && !isForKeys(name));

  const found = findUnusable(await declaredRoutes());
  expect([...found].toSorted()).toEqual(expected.toSorted());
  expect([...found]).toEqual(
    expect.arrayContaining([
      'can_create_organization_api_keys',
      'can_update_organization_api_keys',
      'can_revoke_organization_api_keys',
      'can_create_organization_oauth_clients',
    ]),
  );
});

test('the form of a key offers none of them', async () => {
  expect([...UNUSABLE].toSorted()).toEqual([...findUnusable(await declaredRoutes())].toSorted());
});

test('a warning names each such permission and its place; all others have none', async () => {
  const routes = await declaredRoutes();
  const warningsOf = createGrantWarnings(() => routes);
  const org_id = '0190aaaa-0000-7000-8000-000000000001';
  const grants = [
    { scope: { type: 'personal' as const }, permissions: ['can_view_tools'] },
    {
      scope: { type: 'org' as const, org_id },
      permissions: ['can_view_organization_api_keys', 'can_create_organization_api_keys'],
    },
  ];

  expect(warningsOf({ grants, mcp_capabilities: [] })).toEqual([
    {
      code: 'permission_without_effect',
      message: expect.stringContaining('`can_create_organization_api_keys`'),
      detail: {
        pointer: '/grants/1/permissions/1',
        permission: 'can_create_organization_api_keys',
      },
    },
  ]);
});
