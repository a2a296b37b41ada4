import { expect, test } from 'vitest';
import type { Access } from '../../../src/caller/access.ts';
import type { Principal } from '../../../src/caller/principal.ts';
import { contendedOn } from '../../../src/gateway/rest/decisions.ts';
import { declaredRoutes } from '../../support/declared-routes.ts';

const acme = '0190aaaa-0000-7000-8000-00000000000a';
const ada = {
  person: 'ada',
  credential: { kind: 'session', id: 'session' },
  quota_owner: { kind: 'account', id: 'ada', plan: 'free' },
  organization: null,
} as unknown as Principal;
const member = { ...ada, organization: { id: acme, status: 'active', plan: 'free' } } as Principal;
const change = (access: Access) => ({ method: 'PATCH', access }) as const;
const inAcme = { organization_id: acme };
const organizationChange = change({ on: 'organization', permission: 'roles_update' });

test('changes compete for the organization of a member, or for the account, by credential', () => {
  expect(contendedOn(organizationChange, member, inAcme)).toEqual({
    scope: { kind: 'organization', id: acme },
    by: 'session',
  });
  const own = change({ interactive: 'manage_keys' });
  expect(contendedOn(own, ada, {})).toMatchObject({ scope: { kind: 'account', id: 'ada' } });
});

test('a stranger takes no turn at an organization', () => {
  expect(contendedOn(organizationChange, ada, inAcme)).toBe(null);
});

test('removing one’s own credentials takes no turn, whatever a thief changes', async () => {
  const removals = (await declaredRoutes()).filter(
    ({ method, path }) =>
      method === 'DELETE' && /^\/api\/(?:keys\/\{key_id\}|auth\/sessions.*)$/.test(path),
  );

  expect(removals.length).toBeGreaterThanOrEqual(2);
  for (const route of removals)
    expect([route.path, contendedOn(route, ada, {})]).toEqual([route.path, null]);
});

test('requests that only read take no turn: GET, previews, and what `bootstrap` returns', async () => {
  const reading = (await declaredRoutes()).filter(
    ({ method, path }) =>
      method === 'GET' || (method === 'POST' && /\/(?:preview|bootstrap)$/.test(path)),
  );

  expect(reading.filter(({ method }) => method === 'POST').length).toBeGreaterThan(15);
  for (const route of reading)
    expect([route.path, contendedOn(route, member, inAcme)]).toEqual([route.path, null]);
});
