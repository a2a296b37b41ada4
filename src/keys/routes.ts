import { actorOf } from '../caller/actor.ts';
import { created, defineRoute, noContent, ok } from '../caller/route.ts';
import type { Route } from '../caller/route.ts';
import { PageQuery, pageOf } from '../platform/http/pages.ts';
import type { Keys } from './keys.ts';
import { organizationKeyRoutes } from './services/routes.ts';
import { DRAFT_ERRORS, itemOf, POLICY_MS } from './route-parts.ts';
import {
  CreatedOwnKey,
  ExplainQuery,
  Explanation,
  KeyDraft,
  KeyEdit,
  KeyParams,
  OwnKeyRecord,
  Preview,
} from './schema.ts';

/** Routes for sessions only: a key can neither create keys nor revoke any, not even itself. */
export const keyRoutes = (keys: Keys): Route[] => [
  ...managementRoutes(keys),
  ...explanationRoutes(keys),
  ...organizationKeyRoutes(keys.ofOrganization),
];

const managementRoutes = (keys: Keys): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/keys',
    access: { interactive: 'ownership' },
    operation_id: 'listApiKeys',
    summary: 'List active API keys, newest first',
    tag: 'Keys',
    query: PageQuery,
    responses: { 200: pageOf(OwnKeyRecord) },
    handle: async ({ caller, query }) => ok(await keys.list(caller, query)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/keys',
    access: { interactive: 'manage_keys' },
    operation_id: 'createApiKey',
    summary: 'Create an API key; its secret is shown only here',
    tag: 'Keys',
    body: KeyDraft,
    responses: { 201: CreatedOwnKey },
    errors: { 409: ['name_taken'], 422: ['limit_reached', ...DRAFT_ERRORS] },
    handle: async ({ caller, body, request }) =>
      created(await keys.create(caller, body, actorOf(caller, request))),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/keys/{id}',
    access: { interactive: 'ownership' },
    operation_id: 'getApiKey',
    summary: 'Get an API key',
    tag: 'Keys',
    params: KeyParams,
    responses: { 200: OwnKeyRecord },
    handle: async ({ caller, params }) => ok(await keys.get(caller, params.id)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/keys/{id}',
    access: { interactive: 'manage_keys' },
    operation_id: 'updateApiKey',
    summary: 'Change an API key; omitted fields stay unchanged',
    tag: 'Keys',
    params: KeyParams,
    object: ({ caller, params }) => keys.requireOwn(caller, params.id),
    body: KeyEdit,
    responses: { 200: OwnKeyRecord },
    errors: { 409: ['name_taken'], 422: DRAFT_ERRORS },
    handle: async ({ caller, params, body, request }) =>
      ok(await keys.update(caller, params.id, body, actorOf(caller, request))),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/keys/{id}',
    access: { interactive: 'ownership' },
    operation_id: 'revokeApiKey',
    summary: 'Revoke an API key; its next request is rejected',
    tag: 'Keys',
    params: KeyParams,
    responses: { 204: null },
    async handle({ caller, params, request }) {
      await keys.revoke(caller, params.id, actorOf(caller, request));
      return noContent();
    },
  }),
];

/** Preview and explanation of what a key sees, for its owner. */
const explanationRoutes = (keys: Keys): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/keys/preview',
    access: { interactive: 'manage_keys' },
    operation_id: 'previewApiKey',
    summary: 'Preview what a key would see, what would be hidden and why; saves nothing',
    tag: 'Keys',
    body: KeyDraft,
    responses: { 200: Preview },
    within_ms: POLICY_MS,
    handle: async ({ caller, body }) => ok(await keys.preview(caller, body)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/keys/{id}/explain',
    access: { interactive: 'manage_keys' },
    operation_id: 'explainApiKey',
    summary: 'Explain step by step why a key may or may not use an item; rate limited',
    tag: 'Keys',
    params: KeyParams,
    object: ({ caller, params }) => keys.requireOwn(caller, params.id),
    query: ExplainQuery,
    responses: { 200: Explanation },
    errors: { 429: ['rate_limited'] },
    within_ms: POLICY_MS,
    handle: async ({ caller, params, query }) =>
      ok(await keys.explain(caller, params.id, itemOf(query))),
  }),
];
