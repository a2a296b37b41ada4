import { actorOf } from '../caller/actor.ts';
import { created, defineRoute, noContent, ok } from '../caller/route.ts';
import type { Route } from '../caller/route.ts';
import { CredentialListQuery } from '../platform/http/list-query.ts';
import { pageOf } from '../platform/http/pages.ts';
import { POLICY_MS } from '../policies/evaluation-time.ts';
import type { Keys } from './keys.ts';
import { memberCredentialRoutes } from './member-credentials/routes.ts';
import { organizationKeyRoutes } from './services/routes.ts';
import { DRAFT_ERRORS, itemOf, withWarnings } from './route-parts.ts';
import {
  CreatedOwnKey,
  ExplainQuery,
  Explanation,
  KeyDraft,
  KeyEdit,
  KeyEditPreview,
  KeyParams,
  KeyPreview,
  OwnKeyRecord,
  previewPageOf,
  PreviewQuery,
} from './schema.ts';
import type { WarningsOf } from './unusable-grants.ts';

/** Routes for sessions only: a key can neither create keys nor revoke any, not even itself. */
export const keyRoutes = (keys: Keys, warningsOf: WarningsOf): Route[] => [
  ...listRoutes(keys),
  ...recordRoutes(keys),
  ...previewRoutes(keys, warningsOf),
  ...explanationRoutes(keys),
  ...organizationKeyRoutes(keys.ofOrganization, warningsOf),
  ...memberCredentialRoutes(keys.ofMembers),
];

const listRoutes = (keys: Keys): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/keys',
    access: { interactive: 'ownership' },
    operation_id: 'listApiKeys',
    summary: 'List your API keys',
    description: 'Revoked keys are left out.',
    tag: 'API keys',
    query: CredentialListQuery,
    responses: { 200: pageOf(OwnKeyRecord) },
    handle: async ({ caller, query }) => ok(await keys.list(caller, query)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/keys',
    access: { interactive: 'manage_keys' },
    operation_id: 'createApiKey',
    summary: 'Create an API key',
    description:
      'MCP clients send its `secret` as `X-API-Key` to `/mcp`. `listClientSnippets` shows how.',
    tag: 'API keys',
    body: KeyDraft,
    responses: { 201: CreatedOwnKey },
    shown_once: ['secret'],
    errors: { 409: ['name_taken'], 422: ['limit_reached', ...DRAFT_ERRORS] },
    handle: async ({ caller, body, request }) =>
      created(await keys.create(caller, body, actorOf(caller, request), request.once)),
  }),
];

const recordRoutes = (keys: Keys): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/keys/{key_id}',
    access: { interactive: 'ownership' },
    operation_id: 'getApiKey',
    summary: 'Get an API key',
    tag: 'API keys',
    params: KeyParams,
    responses: { 200: OwnKeyRecord },
    handle: async ({ caller, params }) => ok(await keys.get(caller, params.key_id)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/keys/{key_id}',
    access: { interactive: 'manage_keys' },
    operation_id: 'updateApiKey',
    summary: 'Change an API key',
    description: 'The secret stays the same.',
    tag: 'API keys',
    params: KeyParams,
    object: ({ caller, params }) => keys.requireOwn(caller, params.key_id),
    body: KeyEdit,
    responses: { 200: OwnKeyRecord },
    errors: { 409: ['name_taken'], 422: DRAFT_ERRORS },
    handle: async ({ caller, params, body, request }) =>
      ok(await keys.update(caller, params.key_id, body, actorOf(caller, request))),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/keys/{key_id}',
    access: { interactive: 'ownership' },
    operation_id: 'revokeApiKey',
    summary: 'Revoke an API key',
    description: 'A revoked key cannot be restored.',
    tag: 'API keys',
    params: KeyParams,
    responses: { 204: null },
    async handle({ caller, params, request }) {
      await keys.revoke(caller, params.key_id, actorOf(caller, request));
      return noContent();
    },
  }),
];

/** Previews of what a key sees, for its owner. */
const previewRoutes = (keys: Keys, warningsOf: WarningsOf): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/keys/preview',
    access: { interactive: 'manage_keys' },
    operation_id: 'previewApiKey',
    summary: 'Preview a new API key',
    description: 'Saves nothing. `errors` lists what creating the key would return.',
    tag: 'API keys',
    query: PreviewQuery,
    body: KeyDraft,
    responses: { 200: KeyPreview },
    within_ms: POLICY_MS,
    saves_nothing: true,
    handle: async ({ caller, query, body }) =>
      ok(
        withWarnings(warningsOf, body, await keys.previewDraft(caller, body, previewPageOf(query))),
      ),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/keys/{key_id}/preview',
    access: { interactive: 'manage_keys' },
    operation_id: 'getApiKeyPreview',
    summary: 'Preview an API key',
    tag: 'API keys',
    params: KeyParams,
    object: ({ caller, params }) => keys.requireOwn(caller, params.key_id),
    query: PreviewQuery,
    responses: { 200: KeyPreview },
    within_ms: POLICY_MS,
    async handle({ caller, params, query }) {
      const { seen, ...granted } = await keys.preview(caller, params.key_id, previewPageOf(query));
      return ok(withWarnings(warningsOf, granted, seen));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/keys/{key_id}/preview',
    access: { interactive: 'manage_keys' },
    operation_id: 'previewApiKeyEdit',
    summary: 'Preview an API key edit',
    description: 'Saves nothing.',
    tag: 'API keys',
    params: KeyParams,
    object: ({ caller, params }) => keys.requireOwn(caller, params.key_id),
    query: PreviewQuery,
    body: KeyEdit,
    responses: { 200: KeyEditPreview },
    errors: { 429: ['rate_limited'] },
    within_ms: POLICY_MS,
    saves_nothing: true,
    async handle({ caller, params, query, body: edit, request }) {
      const requested = { edit, actor: actorOf(caller, request), page: previewPageOf(query) };
      const { seen, ...granted } = await keys.previewEdit(caller, params.key_id, requested);
      return ok(withWarnings(warningsOf, granted, seen));
    },
  }),
];

/** Explanation of a key's access. */
const explanationRoutes = (keys: Keys): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/keys/{key_id}/explain',
    access: { interactive: 'manage_keys' },
    operation_id: 'explainApiKey',
    summary: 'Explain an API key’s access',
    tag: 'API keys',
    params: KeyParams,
    object: ({ caller, params }) => keys.requireOwn(caller, params.key_id),
    query: ExplainQuery,
    responses: { 200: Explanation },
    errors: { 429: ['rate_limited'] },
    within_ms: POLICY_MS,
    handle: async ({ caller, params, query }) =>
      ok(await keys.explain(caller, params.key_id, itemOf(query))),
  }),
];
