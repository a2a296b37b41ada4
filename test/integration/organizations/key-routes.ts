import type { SendRequest } from '../../support/people/people.ts';
import { absent, denied, interactiveOnly, unauthenticated } from './expected.ts';
import type { Expected } from './expected.ts';

const path = '/api/organizations/{organization_id}/keys';
const keyPath = `${path}/{key_id}`;
const refusals = { anonymous: unauthenticated, key: absent, stranger: absent, member: denied };
const interactive = { ...refusals, key: interactiveOnly };
const unknown = { ...refusals, member: absent, admin: absent, owner: absent };
const interactiveUnknown = { ...unknown, key: interactiveOnly };
const draft = { name: 'one', mcp_capabilities: [] };
/** A grant that only a person's key can have. */
const personal = { scope: { type: 'personal' }, permissions: ['can_view_tools'] };

/** Requests for an organization's keys that change nothing, and their expected responses. */
export const keyRoutes: readonly [request: SendRequest, expected: Expected][] = [
  [{ path }, { ...refusals, admin: [200], owner: [200] }],
  [
    { method: 'POST', path, body: { ...draft, grants: [personal] } },
    { ...interactive, admin: [422, 'grant_not_applicable'], owner: [422, 'grant_not_applicable'] },
  ],
  [{ path: keyPath }, unknown],
  [{ method: 'PATCH', path: keyPath, body: { name: 'other' } }, interactiveUnknown],
  [{ method: 'DELETE', path: keyPath }, interactiveUnknown],
  [{ path: `${keyPath}/preview` }, interactiveUnknown],
  [{ method: 'POST', path: `${keyPath}/preview`, body: { name: 'other' } }, interactiveUnknown],
  [{ path: `${keyPath}/explain?tool=setup` }, interactiveUnknown],
  [
    { method: 'POST', path: `${path}/preview`, body: draft },
    { ...interactive, admin: [200], owner: [200] },
  ],
];
