import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import { ReauthenticationProof } from '../../caller/schema.ts';
import type { Route } from '../../caller/route.ts';
import { OrganizationParams } from '../../organizations/schema.ts';
import type { Testing } from '../testing/testing.ts';
import type { Connections } from './connections.ts';
import {
  ConnectionDraft,
  ConnectionEdit,
  ConnectionList,
  ConnectionParams,
  ConnectionRecord,
  LinkParams,
  TestDraft,
  TestLink,
} from './schema.ts';

const tag = 'Single sign-on';
const path = '/api/organizations/{organization_id}/sso/connections';
const read = { on: 'organization', permission: 'sso_read' } as const;
const write = { interactive: 'organization', permission: 'sso_write' } as const;

/** Errors of what a connection gives to people who join through it. */
const givenErrors = [
  'capability_escalation',
  'owner_by_transfer',
  'permission_not_held',
  'plan_required',
  'saml_provider_invalid',
  'unknown_role',
  'unknown_team',
] as const;

/** Routes of the connections of an organization to its identity providers. */
export const connectionRoutes = (connections: Connections, test: Testing): Route[] => [
  ...collectionRoutes(connections),
  ...recordRoutes(connections),
  ...peopleRoutes(connections, test),
];

const collectionRoutes = (connections: Connections): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    access: read,
    operation_id: 'listSsoConnections',
    summary: 'List identity provider connections',
    description: 'The oldest is first.',
    tag,
    params: OrganizationParams,
    responses: { 200: ConnectionList },
    handle: async ({ params }) => ok(await connections.list(params.organization_id)),
  }),
  defineRoute({
    method: 'POST',
    path,
    access: write,
    reauthentication: 'first',
    operation_id: 'createSsoConnection',
    summary: 'Create an identity provider connection',
    description:
      'People who join through the connection get its roles and teams. You can give only what you have.',
    tag,
    params: OrganizationParams,
    body: ConnectionDraft,
    responses: { 201: ConnectionRecord },
    errors: { 422: [...givenErrors, 'limit_reached'] },
    handle: async ({ caller, params, body, request }) =>
      created(await connections.create(caller, params.organization_id, body, request)),
  }),
];

const recordRoutes = (connections: Connections): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${path}/{connection_id}`,
    access: read,
    operation_id: 'getSsoConnection',
    summary: 'Get an identity provider connection',
    tag,
    params: ConnectionParams,
    object: ({ params }) => connections.get(params),
    responses: { 200: ConnectionRecord },
    handle: async ({ params }) => ok(await connections.read(params)),
  }),
  defineRoute({
    method: 'PATCH',
    path: `${path}/{connection_id}`,
    access: write,
    reauthentication: 'first',
    operation_id: 'updateSsoConnection',
    summary: 'Change an identity provider connection',
    tag,
    params: ConnectionParams,
    object: ({ params }) => connections.get(params),
    body: ConnectionEdit,
    responses: { 200: ConnectionRecord },
    errors: { 422: givenErrors },
    handle: async ({ caller, params, body, request }) =>
      ok(await connections.update(caller, params, body, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${path}/{connection_id}`,
    access: write,
    reauthentication: 'first',
    operation_id: 'deleteSsoConnection',
    summary: 'Delete an identity provider connection',
    description: 'Sign-ins through the connection end.',
    tag,
    params: ConnectionParams,
    object: ({ params }) => connections.get(params),
    body: ReauthenticationProof,
    responses: { 204: null },
    errors: { 409: ['last_connection'], 422: ['plan_required'] },
    async handle({ caller, params, request }) {
      await connections.remove(caller, params, request);
      return noContent();
    },
  }),
];

/** Routes that concern the people who sign in through a connection. */
const peopleRoutes = (connections: Connections, test: Testing): Route[] => [
  defineRoute({
    method: 'DELETE',
    path: `${path}/{connection_id}/links/{account_id}`,
    access: write,
    reauthentication: 'first',
    operation_id: 'deleteSsoLink',
    summary: 'Unlink a single sign-on account',
    description: 'Ends the sessions of the account.',
    tag,
    params: LinkParams,
    object: ({ params }) => connections.get(params),
    body: ReauthenticationProof,
    responses: { 204: null },
    errors: { 422: ['plan_required'] },
    async handle({ caller, params, request }) {
      await connections.unlink(caller, params, request);
      return noContent();
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${path}/{connection_id}/test`,
    access: write,
    operation_id: 'createSsoTest',
    summary: 'Test an identity provider connection',
    tag,
    params: ConnectionParams,
    object: ({ params }) => connections.get(params),
    body: TestDraft,
    responses: { 200: TestLink },
    errors: { 422: ['plan_required'] },
    handle: async ({ caller, params, body }) => ok(await test(caller, params, body)),
  }),
];
