import { actorOf } from '../caller/actor.ts';
import { created, defineRoute, noContent, ok } from '../caller/route.ts';
import type { Route } from '../caller/route.ts';
import { families } from '../content/items/schema.ts';
import { PageQuery, pageOf } from '../platform/http/pages.ts';
import type { Keys } from './keys.ts';
import {
  CreatedKey,
  ExplainQuery,
  Explanation,
  KeyDraft,
  KeyEdit,
  KeyParams,
  KeyRecord,
  Preview,
} from './schema.ts';

/** Errors for an invalid draft or edit. */
const DRAFT_ERRORS = [
  'agent_unavailable',
  'duplicate_grant',
  'duplicate_item',
  'empty_list',
  'expires_at_past',
  'not_a_member',
  'permission_not_grantable',
  'unknown_item',
  'unknown_permission',
] as const;

/** Interactive only: a key cannot create or revoke keys, not even itself. */
export const keyRoutes = (keys: Keys): Route[] => [...managing(keys), ...explaining(keys)];

const managing = (keys: Keys): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/keys',
    access: { interactive: 'ownership' },
    operation_id: 'listApiKeys',
    summary: 'List active API keys, newest first',
    tag: 'Keys',
    query: PageQuery,
    responses: { 200: pageOf(KeyRecord) },
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
    responses: { 201: CreatedKey },
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
    responses: { 200: KeyRecord },
    handle: async ({ caller, params }) => ok(await keys.get(caller, params.id)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/keys/{id}',
    access: { interactive: 'manage_keys' },
    operation_id: 'updateApiKey',
    summary: 'Change an API key; omitted fields stay',
    tag: 'Keys',
    params: KeyParams,
    object: ({ caller, params }) => keys.requireOwn(caller, params.id),
    body: KeyEdit,
    responses: { 200: KeyRecord },
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

// The longest policies may take thirty seconds to evaluate (docs/limits.md).
const POLICY_MS = 40_000;

/** Preview and explanation of what a key sees, for its owner. */
const explaining = (keys: Keys): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/keys/preview',
    access: { interactive: 'manage_keys' },
    operation_id: 'previewApiKey',
    summary: 'Preview what a key would see and what is hidden from it, and why; saves nothing',
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

function itemOf(query: ExplainQuery) {
  const family = families.find((one) => query[one] !== undefined)!;
  return { family, item: query[family]! };
}
