import { actorOf } from '../../caller/actor.ts';
import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { pageOf } from '../../platform/http/pages.ts';
import { POLICY_MS } from '../../policies/evaluation-time.ts';
import { OrganizationParams } from '../../organizations/organizations.ts';
import { DRAFT_ERRORS, itemOf, withWarnings } from '../route-parts.ts';
import {
  CreatedOrganizationKey,
  ExplainQuery,
  Explanation,
  KeyEditPreview,
  KeyPreview,
  OrganizationKeyListQuery,
  OrganizationKeyParams,
  OrganizationKeyRecord,
  previewPageOf,
  PreviewQuery,
} from '../schema.ts';
import { OrganizationKeyDraft, OrganizationKeyEdit } from './schema.ts';
import type { WarningsOf } from '../unusable-grants.ts';
import type { OrganizationKeys } from './organization-keys.ts';

const tag = 'Organization keys';
const path = '/api/organizations/{organization_id}/keys';

const ERRORS = [...DRAFT_ERRORS, 'grant_not_applicable'] as const;

/**
 * Routes of organizations' keys. Every credential with the permission reads; a session and an access
 * token change, so that no key creates another.
 */
export const organizationKeyRoutes = (keys: OrganizationKeys, warningsOf: WarningsOf): Route[] => [
  ...listRoutes(keys),
  ...recordRoutes(keys),
  ...previewRoutes(keys, warningsOf),
  ...explanationRoutes(keys),
];

const listRoutes = (keys: OrganizationKeys): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    access: { on: 'organization', permission: 'keys_read' },
    operation_id: 'listOrganizationKeys',
    summary: 'List organization keys',
    description: 'Revoked keys are left out.',
    tag,
    params: OrganizationParams,
    query: OrganizationKeyListQuery,
    responses: { 200: pageOf(OrganizationKeyRecord) },
    handle: async ({ caller, params, query }) =>
      ok(await keys.list(caller, params.organization_id, query)),
  }),
  defineRoute({
    method: 'POST',
    path,
    access: { on: 'organization', permission: 'keys_create', api_keys: 'refused' },
    operation_id: 'createOrganizationKey',
    summary: 'Create an organization key',
    description:
      'The key acts for no person. MCP clients send its `secret` as `X-API-Key` to `/mcp`. `listClientSnippets` shows how.',
    tag,
    params: OrganizationParams,
    body: OrganizationKeyDraft,
    responses: { 201: CreatedOrganizationKey },
    shown_once: ['secret'],
    errors: { 409: ['name_taken'], 422: ['limit_reached', ...ERRORS] },
    handle: async ({ caller, params, body, request }) =>
      created(await keys.create(caller, params.organization_id, body, request)),
  }),
];

const recordRoutes = (keys: OrganizationKeys): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${path}/{key_id}`,
    access: { on: 'organization', permission: 'keys_read' },
    operation_id: 'getOrganizationKey',
    summary: 'Get an organization key',
    tag,
    params: OrganizationKeyParams,
    object: ({ params }) => keys.require(params),
    responses: { 200: OrganizationKeyRecord },
    handle: async ({ caller, params }) => ok(await keys.get(caller, params)),
  }),
  defineRoute({
    method: 'PATCH',
    path: `${path}/{key_id}`,
    access: { on: 'organization', permission: 'keys_update', api_keys: 'refused' },
    operation_id: 'updateOrganizationKey',
    summary: 'Change an organization key',
    description: 'The secret stays the same.',
    tag,
    params: OrganizationKeyParams,
    object: ({ params }) => keys.require(params),
    body: OrganizationKeyEdit,
    responses: { 200: OrganizationKeyRecord },
    errors: { 409: ['name_taken'], 422: ERRORS },
    handle: async ({ caller, params, body, request }) =>
      ok(await keys.update(caller, params, body, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${path}/{key_id}`,
    access: {
      ...{ on: 'organization', permission: 'keys_revoke' },
      ...{ suspended: 'allowed', api_keys: 'refused' },
    },
    operation_id: 'revokeOrganizationKey',
    summary: 'Revoke an organization key',
    description: 'A revoked key cannot be restored.',
    tag,
    params: OrganizationKeyParams,
    object: ({ params }) => keys.require(params),
    responses: { 204: null },
    async handle({ caller, params, request }) {
      await keys.revoke(caller, params, request);
      return noContent();
    },
  }),
];

const previewRoutes = (keys: OrganizationKeys, warningsOf: WarningsOf): Route[] => [
  defineRoute({
    method: 'POST',
    path: `${path}/preview`,
    access: { interactive: 'organization', permission: 'keys_create' },
    operation_id: 'previewOrganizationKey',
    summary: 'Preview a new organization key',
    description: 'Saves nothing. `errors` lists what creating the key would return.',
    tag,
    params: OrganizationParams,
    query: PreviewQuery,
    body: OrganizationKeyDraft,
    responses: { 200: KeyPreview },
    within_ms: POLICY_MS,
    saves_nothing: true,
    async handle({ caller, params, query, body }) {
      const page = previewPageOf(query);
      const seen = await keys.previewDraft(caller, params.organization_id, body, page);
      return ok(withWarnings(warningsOf, body, seen));
    },
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/{key_id}/preview`,
    access: { interactive: 'organization', permission: 'keys_read' },
    operation_id: 'getOrganizationKeyPreview',
    summary: 'Preview an organization key',
    description: 'Items that you may not view are left out.',
    tag,
    params: OrganizationKeyParams,
    object: ({ params }) => keys.require(params),
    query: PreviewQuery,
    responses: { 200: KeyPreview },
    within_ms: POLICY_MS,
    async handle({ caller, params, query }) {
      const { seen, ...granted } = await keys.preview(caller, params, previewPageOf(query));
      return ok(withWarnings(warningsOf, granted, seen));
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${path}/{key_id}/preview`,
    access: { interactive: 'organization', permission: 'keys_update' },
    operation_id: 'previewOrganizationKeyEdit',
    summary: 'Preview an organization key edit',
    description: 'Saves nothing. Items that you may not view are left out.',
    tag,
    params: OrganizationKeyParams,
    object: ({ params }) => keys.require(params),
    query: PreviewQuery,
    body: OrganizationKeyEdit,
    responses: { 200: KeyEditPreview },
    errors: { 429: ['rate_limited'] },
    within_ms: POLICY_MS,
    saves_nothing: true,
    async handle({ caller, params, query, body: edit, request }) {
      const requested = { edit, actor: actorOf(caller, request), page: previewPageOf(query) };
      const { seen, ...granted } = await keys.previewEdit(caller, params, requested);
      return ok(withWarnings(warningsOf, granted, seen));
    },
  }),
];

/** Explanation of a key's access. */
const explanationRoutes = (keys: OrganizationKeys): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${path}/{key_id}/explain`,
    access: { interactive: 'organization', permission: 'keys_read' },
    operation_id: 'explainOrganizationKey',
    summary: 'Explain an organization key’s access',
    tag,
    params: OrganizationKeyParams,
    object: ({ params }) => keys.require(params),
    query: ExplainQuery,
    responses: { 200: Explanation },
    errors: { 429: ['rate_limited'] },
    within_ms: POLICY_MS,
    handle: async ({ caller, params, query }) =>
      ok(await keys.explain(caller, params, itemOf(query))),
  }),
];
