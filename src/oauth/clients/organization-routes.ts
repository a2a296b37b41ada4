import { authorityOf } from '../../caller/actor.ts';
import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { OrganizationParams } from '../../organizations/organizations.ts';
import { NamedListQuery } from '../../platform/http/list-query.ts';
import { pageOf } from '../../platform/http/pages.ts';
import type { ClientId, ClientOwner, Clients } from './clients.ts';
import { AUTHORITY_ERRORS, FIELD_ERRORS } from './route-errors.ts';
import {
  ClientDraft,
  ClientEdit,
  ClientRecord,
  CreatedClient,
  CreatedSecret,
  OrganizationClientParams,
  OrganizationClientSecretParams,
} from './schema.ts';

const tag = 'Organization OAuth clients';
const path = '/api/organizations/{organization_id}/oauth-clients';

/**
 * Routes of organizations' clients. Only sessions register them and give them more; a key with the
 * permission may rename, disable and delete them, and delete their secrets.
 */
export const organizationClientRoutes = (clients: Clients): Route[] => [
  ...listRoutes(clients),
  ...recordRoutes(clients),
  ...secretRoutes(clients),
];

const ownerOf = (id: string): ClientOwner => ({ kind: 'organization', id });
const clientOf = (params: { organization_id: string; client_id: string }): ClientId => ({
  id: params.client_id,
  owner: ownerOf(params.organization_id),
});

const listRoutes = (clients: Clients): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    access: { on: 'organization', permission: 'oauth_clients_read' },
    operation_id: 'listOrganizationOauthClients',
    summary: 'List organization OAuth clients',
    description: 'The newest is first.',
    tag,
    params: OrganizationParams,
    query: NamedListQuery,
    responses: { 200: pageOf(ClientRecord) },
    handle: async ({ caller, params, query }) =>
      ok(await clients.list(caller, ownerOf(params.organization_id), query)),
  }),
  defineRoute({
    method: 'POST',
    path,
    access: { interactive: 'organization', permission: 'oauth_clients_create' },
    operation_id: 'createOrganizationOauthClient',
    summary: 'Register an organization OAuth client',
    tag,
    params: OrganizationParams,
    body: ClientDraft,
    responses: { 201: CreatedClient },
    shown_once: ['client_secret'],
    errors: { 422: ['limit_reached', ...FIELD_ERRORS, ...AUTHORITY_ERRORS] },
    handle: async ({ caller, params, body, request }) =>
      created(await clients.create(caller, ownerOf(params.organization_id), body, request)),
  }),
];

const recordRoutes = (clients: Clients): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${path}/{client_id}`,
    access: { on: 'organization', permission: 'oauth_clients_read' },
    operation_id: 'getOrganizationOauthClient',
    summary: 'Get an organization OAuth client',
    tag,
    params: OrganizationClientParams,
    object: ({ params }) => clients.require(clientOf(params)),
    responses: { 200: ClientRecord },
    handle: async ({ caller, params }) => ok(await clients.get(caller, clientOf(params))),
  }),
  defineRoute({
    method: 'PATCH',
    path: `${path}/{client_id}`,
    access: { on: 'organization', permission: 'oauth_clients_update' },
    operation_id: 'updateOrganizationOauthClient',
    summary: 'Change an organization OAuth client',
    description: 'Only a session can give the client more than it has.',
    tag,
    params: OrganizationClientParams,
    object: ({ params }) => clients.require(clientOf(params)),
    body: ClientEdit,
    responses: { 200: ClientRecord },
    errors: { 403: ['interactive_only'], 422: [...FIELD_ERRORS, ...AUTHORITY_ERRORS] },
    handle: async ({ caller, params, body, request }) =>
      ok(await clients.update(caller, clientOf(params), body, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${path}/{client_id}`,
    access: { on: 'organization', permission: 'oauth_clients_delete', suspended: 'allowed' },
    operation_id: 'deleteOrganizationOauthClient',
    summary: 'Delete an organization OAuth client',
    description: 'Its connections end.',
    tag,
    params: OrganizationClientParams,
    object: ({ params }) => clients.require(clientOf(params)),
    responses: { 204: null },
    async handle({ caller, params, request }) {
      await clients.delete(clientOf(params), authorityOf(caller, request));
      return noContent();
    },
  }),
];

const secretRoutes = (clients: Clients): Route[] => [
  defineRoute({
    method: 'POST',
    path: `${path}/{client_id}/secrets`,
    access: { interactive: 'organization', permission: 'oauth_clients_update' },
    operation_id: 'createOrganizationOauthClientSecret',
    summary: 'Create an organization client secret',
    description: 'A client has at most two secrets, so that one can replace the other.',
    tag,
    params: OrganizationClientParams,
    object: ({ params }) => clients.require(clientOf(params)),
    responses: { 201: CreatedSecret },
    shown_once: ['client_secret'],
    errors: { 422: ['limit_reached', 'secret_not_applicable', ...AUTHORITY_ERRORS] },
    handle: async ({ caller, params, request }) =>
      created(
        await request.once<CreatedSecret>((keep) =>
          clients.secrets.add(caller, clientOf(params), request, keep),
        ),
      ),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${path}/{client_id}/secrets/{secret_id}`,
    access: { on: 'organization', permission: 'oauth_clients_update', suspended: 'allowed' },
    operation_id: 'deleteOrganizationOauthClientSecret',
    summary: 'Delete an organization client secret',
    description: 'The secret is refused from then on.',
    tag,
    params: OrganizationClientSecretParams,
    object: ({ params }) => clients.require(clientOf(params)),
    responses: { 204: null },
    async handle({ caller, params, request }) {
      const authority = authorityOf(caller, request);
      await clients.secrets.remove(clientOf(params), params.secret_id, authority);
      return noContent();
    },
  }),
];
