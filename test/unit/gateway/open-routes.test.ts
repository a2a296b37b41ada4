import { expect, test } from 'vitest';
import { isOnObject } from '../../../src/caller/access.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';

/**
 * The routes that a key or token may use without any permission, and why each gives it nothing that
 * requires one.
 */
const open: Readonly<Record<string, string>> = {
  'GET /api/catalog/prompts': 'the same for everyone: the service’s own prompts',
  'GET /api/catalog/tools': 'the same for everyone: the service’s own tools',
  'GET /api/jobs':
    'what the credential itself started, or for a session its person, and may still request',
  'GET /api/jobs/{id}': 'likewise; any other job is not found',
  'DELETE /api/jobs/{id}': 'likewise; any other job is not found',
  'GET /api/jobs/{id}/events': 'likewise; any other job is not found',
  'GET /api/organizations': 'where the caller may act, and what it may do there',
  'GET /api/organizations/{organization_id}/catalog/prompts':
    'the service’s own prompts; the organization’s selection requires the permission to view it',
  'GET /api/organizations/{organization_id}/catalog/tools':
    'the service’s own tools; the organization’s selection requires the permission to view it',
  'GET /api/organizations/{organization_id}/teams':
    'the teams in which the credential is active; all others require the permission',
  'GET /api/organizations/{organization_id}/teams/{team_id}':
    'a team in which the credential is active; any other requires the permission',
  'DELETE /api/organizations/{organization_id}/members/{account_id}':
    'leaving, only in a session; the handler checks the permission to remove another member',
  'DELETE /api/organizations/{organization_id}/teams/{team_id}/members/{account_id}':
    'leaving, only in a session; the handler checks the permission to remove another member',
};

test('every route that a credential may use without a permission is justified', async () => {
  const routes = await declaredRoutes();
  const found = routes.filter(
    ({ access }) => access === 'caller' || (isOnObject(access) && access.permission === 'see'),
  );

  expect(found.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
    Object.keys(open).toSorted(),
  );
});

test('every route below `me/` of an organization requires a session', async () => {
  const routes = (await declaredRoutes()).filter(({ path }) =>
    path.startsWith('/api/organizations/{organization_id}/me/'),
  );

  expect(routes.length).toBeGreaterThan(40);
  for (const { access } of routes)
    expect(access).toEqual({ interactive: 'organization', permission: 'see' });
});
