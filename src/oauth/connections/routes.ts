import { defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Principal } from '../../caller/principal.ts';
import type { Route } from '../../caller/route.ts';
import { families } from '../../content/items/schema.ts';
import {
  ExplainQuery,
  Explanation,
  Preview,
  previewPageOf,
  PreviewQuery,
} from '../../visibility/schema.ts';
import { OrganizationParams } from '../../organizations/organizations.ts';
import { UsedListQuery } from '../../platform/http/list-query.ts';
import { pageOf } from '../../platform/http/pages.ts';
import { POLICY_MS } from '../../policies/evaluation-time.ts';
import { AUTHORITY_ERRORS } from '../clients/route-errors.ts';
import type { ConnectionId, ManagedConnections } from './connections.ts';
import {
  ConnectionEdit,
  ConnectionParams,
  ConnectionRecord,
  OrganizationConnectionParams,
} from './schema.ts';

const own = '/api/me/connections';
const shared = '/api/organizations/{organization_id}/connections';

/** Routes of people's connections, for sessions only, and of the connections in organizations. */
export const connectionRoutes = (connections: ManagedConnections): Route[] => [
  ...ownRoutes(connections),
  ...ownInspectionRoutes(connections),
  ...organizationRoutes(connections),
  ...organizationInspectionRoutes(connections),
];

const ownerOf = ({ person }: Pick<Principal, 'person'>) =>
  ({ kind: 'account', id: person! }) as const;
const organizationOf = (id: string) => ({ kind: 'organization', id }) as const;

const ownIdOf = (
  caller: Pick<Principal, 'person'>,
  { connection_id: id }: ConnectionParams,
): ConnectionId => ({ id, owner: ownerOf(caller) });
const idIn = (params: OrganizationConnectionParams): ConnectionId => ({
  id: params.connection_id,
  owner: organizationOf(params.organization_id),
});

function itemOf(query: ExplainQuery) {
  const family = families.find((name) => query[name] !== undefined)!;
  return { family, item: query[family]!, address: query.address };
}

const ownRoutes = (connections: ManagedConnections): Route[] => [
  defineRoute({
    method: 'GET',
    path: own,
    access: { interactive: 'ownership' },
    operation_id: 'listConnections',
    summary: 'List your OAuth connections',
    description:
      'Lists the OAuth clients that you authorized, in every organization, newest first.',
    tag: 'OAuth connections',
    query: UsedListQuery,
    responses: { 200: pageOf(ConnectionRecord) },
    handle: async ({ caller, query }) => ok(await connections.list(caller, ownerOf(caller), query)),
  }),
  defineRoute({
    method: 'PATCH',
    path: `${own}/{connection_id}`,
    access: { interactive: 'manage_keys' },
    operation_id: 'updateConnection',
    summary: 'Change an OAuth connection',
    tag: 'OAuth connections',
    params: ConnectionParams,
    object: ({ caller, params }) => connections.require(ownIdOf(caller, params)),
    body: ConnectionEdit,
    responses: { 200: ConnectionRecord },
    errors: { 422: ['agent_unavailable'] },
    handle: async ({ caller, params, body, request }) =>
      ok(await connections.update(caller, ownIdOf(caller, params), body, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${own}/{connection_id}`,
    access: { interactive: 'ownership' },
    operation_id: 'revokeConnection',
    summary: 'Revoke an OAuth connection',
    tag: 'OAuth connections',
    params: ConnectionParams,
    responses: { 204: null },
    async handle({ caller, params, request }) {
      await connections.revoke(caller, ownIdOf(caller, params), request);
      return noContent();
    },
  }),
];

const ownInspectionRoutes = (connections: ManagedConnections): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${own}/{connection_id}/preview`,
    access: { interactive: 'manage_keys' },
    operation_id: 'previewConnection',
    summary: 'Preview an OAuth connection',
    tag: 'OAuth connections',
    params: ConnectionParams,
    object: ({ caller, params }) => connections.require(ownIdOf(caller, params)),
    query: PreviewQuery,
    responses: { 200: Preview },
    within_ms: POLICY_MS,
    handle: async ({ caller, params, query }) =>
      ok(await connections.preview(caller, ownIdOf(caller, params), previewPageOf(query))),
  }),
  defineRoute({
    method: 'GET',
    path: `${own}/{connection_id}/explain`,
    access: { interactive: 'manage_keys' },
    operation_id: 'explainConnection',
    summary: 'Explain an OAuth connection’s access',
    tag: 'OAuth connections',
    params: ConnectionParams,
    object: ({ caller, params }) => connections.require(ownIdOf(caller, params)),
    query: ExplainQuery,
    responses: { 200: Explanation },
    errors: { 429: ['rate_limited'] },
    within_ms: POLICY_MS,
    handle: async ({ caller, params, query }) =>
      ok(await connections.explain(caller, ownIdOf(caller, params), itemOf(query))),
  }),
];

const organizationRoutes = (connections: ManagedConnections): Route[] => [
  defineRoute({
    method: 'GET',
    path: shared,
    access: { on: 'organization', permission: 'oauth_clients_read' },
    operation_id: 'listOrganizationConnections',
    summary: 'List organization OAuth connections',
    description: 'The newest is first.',
    tag: 'Organization OAuth connections',
    params: OrganizationParams,
    query: UsedListQuery,
    responses: { 200: pageOf(ConnectionRecord) },
    handle: async ({ caller, params, query }) =>
      ok(await connections.list(caller, organizationOf(params.organization_id), query)),
  }),
  defineRoute({
    method: 'PATCH',
    path: `${shared}/{connection_id}`,
    access: { on: 'organization', permission: 'oauth_clients_update' },
    operation_id: 'updateOrganizationConnection',
    summary: 'Change an organization OAuth connection',
    description:
      'The connection must be that of a client itself, not of a person. Letting it work elsewhere, or at other times, grants what it may do.',
    tag: 'Organization OAuth connections',
    params: OrganizationConnectionParams,
    object: ({ params }) => connections.requireMachine(idIn(params)),
    body: ConnectionEdit,
    responses: { 200: ConnectionRecord },
    errors: {
      403: ['interactive_only'],
      422: ['agent_unavailable', ...AUTHORITY_ERRORS],
    },
    async handle({ caller, params, body, request }) {
      await connections.requireMachine(idIn(params));
      return ok(await connections.update(caller, idIn(params), body, request));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: `${shared}/{connection_id}`,
    access: { on: 'organization', permission: 'oauth_clients_delete', suspended: 'allowed' },
    operation_id: 'revokeOrganizationConnection',
    summary: 'Revoke an organization OAuth connection',
    tag: 'Organization OAuth connections',
    params: OrganizationConnectionParams,
    object: ({ params }) => connections.require(idIn(params)),
    responses: { 204: null },
    async handle({ caller, params, request }) {
      await connections.revoke(caller, idIn(params), request);
      return noContent();
    },
  }),
];

const organizationInspectionRoutes = (connections: ManagedConnections): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${shared}/{connection_id}/preview`,
    access: { interactive: 'organization', permission: 'oauth_clients_read' },
    operation_id: 'previewOrganizationConnection',
    summary: 'Preview an organization OAuth connection',
    description: 'The connection must be that of a client itself.',
    tag: 'Organization OAuth connections',
    params: OrganizationConnectionParams,
    object: ({ params }) => connections.requireMachine(idIn(params)),
    query: PreviewQuery,
    responses: { 200: Preview },
    within_ms: POLICY_MS,
    async handle({ caller, params, query }) {
      await connections.requireMachine(idIn(params));
      return ok(await connections.preview(caller, idIn(params), previewPageOf(query)));
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${shared}/{connection_id}/explain`,
    access: { interactive: 'organization', permission: 'oauth_clients_read' },
    operation_id: 'explainOrganizationConnection',
    summary: 'Explain an organization connection’s access',
    description: 'The connection must be that of a client itself.',
    tag: 'Organization OAuth connections',
    params: OrganizationConnectionParams,
    object: ({ params }) => connections.requireMachine(idIn(params)),
    query: ExplainQuery,
    responses: { 200: Explanation },
    errors: { 429: ['rate_limited'] },
    within_ms: POLICY_MS,
    async handle({ caller, params, query }) {
      await connections.requireMachine(idIn(params));
      return ok(await connections.explain(caller, idIn(params), itemOf(query)));
    },
  }),
];
