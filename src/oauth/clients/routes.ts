import { actorOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { NamedListQuery } from '../../platform/http/list-query.ts';
import { pageOf } from '../../platform/http/pages.ts';
import { oauthClientPresets } from '../../snippets/oauth-clients.ts';
import type { ClientOwner, Clients } from './clients.ts';
import { organizationClientRoutes } from './organization-routes.ts';
import { FIELD_ERRORS } from './route-errors.ts';
import {
  ClientDraft,
  ClientEdit,
  ClientParams,
  ClientPresets,
  ClientRecord,
  ClientSecretParams,
  CreatedClient,
  CreatedSecret,
} from './schema.ts';

const tag = 'OAuth clients';
const path = '/api/me/oauth-clients';

/**
 * Routes of people's own clients, for sessions only, and of organizations' clients; `endpoint` is
 * the URL of `/mcp`, which the presets name.
 */
export const clientRoutes = (clients: Clients, endpoint: string): Route[] => [
  presetRoute(endpoint),
  ...listRoutes(clients),
  ...recordRoutes(clients),
  ...secretRoutes(clients),
  ...organizationClientRoutes(clients),
];

const ownerOf = ({ person: id }: SessionPrincipal): ClientOwner => ({ kind: 'account', id });

const presetRoute = (endpoint: string): Route =>
  defineRoute({
    method: 'GET',
    path: '/api/oauth-client-presets',
    access: 'public',
    operation_id: 'listOauthClientPresets',
    summary: 'List OAuth client presets',
    description: 'Lists known MCP clients, and what to register for each.',
    tag,
    responses: { 200: ClientPresets },
    handle: () => ok({ data: oauthClientPresets(endpoint), next_cursor: null }),
  });

const listRoutes = (clients: Clients): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    access: { interactive: 'ownership' },
    operation_id: 'listOauthClients',
    summary: 'List your OAuth clients',
    description: 'The newest is first.',
    tag,
    query: NamedListQuery,
    responses: { 200: pageOf(ClientRecord) },
    handle: async ({ caller, query }) => ok(await clients.list(caller, ownerOf(caller), query)),
  }),
  defineRoute({
    method: 'POST',
    path,
    access: { interactive: 'manage_keys' },
    operation_id: 'createOauthClient',
    summary: 'Register an OAuth client',
    tag,
    body: ClientDraft,
    responses: { 201: CreatedClient },
    shown_once: ['client_secret'],
    errors: { 422: ['limit_reached', ...FIELD_ERRORS] },
    handle: async ({ caller, body, request }) =>
      created(await clients.create(caller, ownerOf(caller), body, request)),
  }),
];

const recordRoutes = (clients: Clients): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${path}/{client_id}`,
    access: { interactive: 'ownership' },
    operation_id: 'getOauthClient',
    summary: 'Get an OAuth client',
    tag,
    params: ClientParams,
    responses: { 200: ClientRecord },
    handle: async ({ caller, params }) =>
      ok(await clients.get(caller, { id: params.client_id, owner: ownerOf(caller) })),
  }),
  defineRoute({
    method: 'PATCH',
    path: `${path}/{client_id}`,
    access: { interactive: 'manage_keys' },
    operation_id: 'updateOauthClient',
    summary: 'Change an OAuth client',
    tag,
    params: ClientParams,
    object: ({ caller, params }) =>
      clients.require({ id: params.client_id, owner: ownerOf(caller) }),
    body: ClientEdit,
    responses: { 200: ClientRecord },
    errors: { 422: FIELD_ERRORS },
    handle: async ({ caller, params, body, request }) =>
      ok(
        await clients.update(
          caller,
          { id: params.client_id, owner: ownerOf(caller) },
          body,
          request,
        ),
      ),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${path}/{client_id}`,
    access: { interactive: 'ownership' },
    operation_id: 'deleteOauthClient',
    summary: 'Delete an OAuth client',
    description: 'Its connections end.',
    tag,
    params: ClientParams,
    responses: { 204: null },
    async handle({ caller, params, request }) {
      const client = { id: params.client_id, owner: ownerOf(caller) };
      await clients.delete(client, { actor: actorOf(caller, request), basis: null });
      return noContent();
    },
  }),
];

const secretRoutes = (clients: Clients): Route[] => [
  defineRoute({
    method: 'POST',
    path: `${path}/{client_id}/secrets`,
    access: { interactive: 'manage_keys' },
    operation_id: 'createOauthClientSecret',
    summary: 'Create an OAuth client secret',
    description: 'A client has at most two secrets, so that one can replace the other.',
    tag,
    params: ClientParams,
    object: ({ caller, params }) =>
      clients.require({ id: params.client_id, owner: ownerOf(caller) }),
    responses: { 201: CreatedSecret },
    shown_once: ['client_secret'],
    errors: { 422: ['limit_reached', 'secret_not_applicable'] },
    async handle({ caller, params, request }) {
      const client = { id: params.client_id, owner: ownerOf(caller) };
      return created(
        await request.once<CreatedSecret>((keep) =>
          clients.secrets.add(caller, client, request, keep),
        ),
      );
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: `${path}/{client_id}/secrets/{secret_id}`,
    access: { interactive: 'ownership' },
    operation_id: 'deleteOauthClientSecret',
    summary: 'Delete an OAuth client secret',
    description: 'The secret is refused from then on.',
    tag,
    params: ClientSecretParams,
    responses: { 204: null },
    async handle({ caller, params, request }) {
      const client = { id: params.client_id, owner: ownerOf(caller) };
      const authority = { actor: actorOf(caller, request), basis: null };
      await clients.secrets.remove(client, params.secret_id, authority);
      return noContent();
    },
  }),
];
