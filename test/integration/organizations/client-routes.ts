import type { SendRequest } from '../../support/people/people.ts';
import { absent, denied, interactiveOnly, unauthenticated } from './expected.ts';
import type { Expected } from './expected.ts';

const path = '/api/organizations/{organization_id}/oauth-clients';
const clientPath = `${path}/{client_id}`;
const connections = '/api/organizations/{organization_id}/connections';
const connectionPath = `${connections}/{connection_id}`;
const refusals = { anonymous: unauthenticated, key: absent, stranger: absent, member: denied };
const interactive = { ...refusals, key: interactiveOnly };
const unknown = { ...refusals, member: absent, admin: absent, owner: absent };
const interactiveUnknown = { ...unknown, key: interactiveOnly };
const draft = {
  ...{ name: 'one', type: 'public', grant_types: ['authorization_code'] },
  ...{ redirect_uris: [], allowed_scopes: ['mcp_tools'] },
};

/**
 * Requests for an organization's OAuth clients and connections that change nothing, and their
 * expected responses.
 */
export const clientRoutes: readonly [request: SendRequest, expected: Expected][] = [
  [{ path }, { ...refusals, admin: [200], owner: [200] }],
  [
    { method: 'POST', path, body: draft },
    {
      ...interactive,
      admin: [422, 'redirect_uri_required'],
      owner: [422, 'redirect_uri_required'],
    },
  ],
  [{ path: clientPath }, unknown],
  [{ method: 'PATCH', path: clientPath, body: { name: 'other' } }, unknown],
  [{ method: 'DELETE', path: clientPath }, unknown],
  [{ method: 'POST', path: `${clientPath}/secrets` }, interactiveUnknown],
  [{ method: 'DELETE', path: `${clientPath}/secrets/{secret_id}` }, unknown],
  [{ path: connections }, { ...refusals, admin: [200], owner: [200] }],
  [{ method: 'PATCH', path: connectionPath }, unknown],
  [{ method: 'DELETE', path: connectionPath }, unknown],
  [{ path: `${connectionPath}/preview` }, interactiveUnknown],
  [{ path: `${connectionPath}/explain?tool=setup` }, interactiveUnknown],
];
