import type { SendRequest } from '../../support/people/people.ts';
import { absent, denied, unauthenticated } from './expected.ts';
import type { Expected } from './expected.ts';

const organization = '/api/organizations/{organization_id}';
const role = `${organization}/roles/{role_id}`;
const sharedRole = `${organization}/team-roles/{team_role_id}`;
const refusals = { anonymous: unauthenticated, key: absent, stranger: absent, member: denied };

/** Requests about roles that change nothing, and their expected responses. */
export const roleRoutes: readonly [request: SendRequest, expected: Expected][] = [
  [
    { method: 'POST', path: `${organization}/roles`, body: { name: 'admin' } },
    { ...refusals, admin: [409, 'name_taken'], owner: [409, 'name_taken'] },
  ],
  [{ path: role }, { ...refusals, admin: [200], owner: [200] }],
  [
    { method: 'PATCH', path: role, body: { name: 'Mine' } },
    { ...refusals, admin: [422, 'system_role'], owner: [422, 'system_role'] },
  ],
  [
    { method: 'DELETE', path: role },
    { ...refusals, admin: [422, 'system_role'], owner: [422, 'system_role'] },
  ],
  [
    { method: 'POST', path: `${organization}/team-roles`, body: { name: 'TEAM_ADMIN' } },
    { ...refusals, admin: [409, 'name_taken'], owner: [409, 'name_taken'] },
  ],
  [{ path: sharedRole }, { ...refusals, admin: [200], owner: [200] }],
  [
    { method: 'PATCH', path: sharedRole, body: { name: 'Mine' } },
    { ...refusals, admin: [422, 'system_role'], owner: [422, 'system_role'] },
  ],
  [
    { method: 'DELETE', path: sharedRole },
    { ...refusals, admin: [422, 'system_role'], owner: [422, 'system_role'] },
  ],
];
