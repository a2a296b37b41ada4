import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { PageQuery, pageOf } from '../../platform/http/pages.ts';
import { OrganizationParams } from '../../organizations/organizations.ts';
import { DRAFT_ERRORS, itemOf, POLICY_MS } from '../route-parts.ts';
import {
  CreatedOrganizationKey,
  ExplainQuery,
  Explanation,
  KeyDraft,
  KeyEdit,
  OrganizationKeyParams,
  OrganizationKeyRecord,
  Preview,
} from '../schema.ts';
import type { OrganizationKeys } from './organization-keys.ts';

const tag = 'Organization keys';
const path = '/api/organizations/{organization_id}/keys';

const ERRORS = [...DRAFT_ERRORS, 'grant_not_applicable'] as const;

/**
 * Routes of organizations' keys. Every credential with the permission reads; a session and an access
 * token change, so that no key creates another.
 */
export const organizationKeyRoutes = (keys: OrganizationKeys): Route[] => [
  ...listRoutes(keys),
  ...recordRoutes(keys),
  ...explanationRoutes(keys),
];

const listRoutes = (keys: OrganizationKeys): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    access: { on: 'organization', permission: 'keys_read' },
    operation_id: 'listOrganizationKeys',
    summary: 'List the active API keys of an organization, newest first',
    tag,
    params: OrganizationParams,
    query: PageQuery,
    responses: { 200: pageOf(OrganizationKeyRecord) },
    handle: async ({ caller, params, query }) =>
      ok(await keys.list(caller, params.organization_id, query)),
  }),
  defineRoute({
    method: 'POST',
    path,
    access: { on: 'organization', permission: 'keys_create', api_keys: 'refused' },
    operation_id: 'createOrganizationKey',
    summary: 'Create an API key of the organization; its secret is shown only here',
    tag,
    params: OrganizationParams,
    body: KeyDraft,
    responses: { 201: CreatedOrganizationKey },
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
    summary: 'Get an API key of an organization',
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
    summary: 'Change an API key of the organization; omitted fields stay unchanged',
    tag,
    params: OrganizationKeyParams,
    object: ({ params }) => keys.require(params),
    body: KeyEdit,
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
    summary: 'Revoke an API key of the organization; its next request is rejected',
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

const explanationRoutes = (keys: OrganizationKeys): Route[] => [
  defineRoute({
    method: 'POST',
    path: `${path}/preview`,
    access: { interactive: 'organization', permission: 'keys_create' },
    operation_id: 'previewOrganizationKey',
    summary: 'Preview what a key of the organization would see; saves nothing',
    tag,
    params: OrganizationParams,
    body: KeyDraft,
    responses: { 200: Preview },
    within_ms: POLICY_MS,
    handle: async ({ caller, params, body }) =>
      ok(await keys.preview(caller, params.organization_id, body)),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/{key_id}/explain`,
    access: { interactive: 'organization', permission: 'keys_read' },
    operation_id: 'explainOrganizationKey',
    summary: 'Explain step by step why a key of the organization may or may not use an item',
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
