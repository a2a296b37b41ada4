import { created, defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { OrganizationParams } from '../../organizations/schema.ts';
import { CreatedToken, TokenDraft, TokenList, TokenParams } from './schema.ts';
import type { ScimTokens } from './tokens.ts';

const tag = 'SCIM tokens';

export const scimTokenRoutes = (tokens: ScimTokens): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/organizations/{organization_id}/sso/scim-tokens',
    access: { on: 'organization', permission: 'sso_read' },
    operation_id: 'listScimTokens',
    summary: 'List SCIM tokens',
    description: 'The newest is first.',
    tag,
    params: OrganizationParams,
    responses: { 200: TokenList },
    handle: async ({ params }) => ok(await tokens.list(params.organization_id)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/organizations/{organization_id}/sso/scim-tokens',
    access: { interactive: 'organization', permission: 'sso_write' },
    reauthentication: 'first',
    operation_id: 'createScimToken',
    summary: 'Create a SCIM token',
    description: 'Requires the Enterprise plan.',
    tag,
    params: OrganizationParams,
    body: TokenDraft,
    responses: { 201: CreatedToken },
    shown_once: ['token'],
    errors: { 422: ['limit_reached', 'plan_required'] },
    handle: async ({ caller, params, body, request }) =>
      created(await tokens.create(caller, params.organization_id, body, request)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/organizations/{organization_id}/sso/scim-tokens/{token_id}',
    access: { interactive: 'organization', permission: 'sso_write', suspended: 'allowed' },
    operation_id: 'revokeScimToken',
    summary: 'Revoke a SCIM token',
    tag,
    params: TokenParams,
    object: ({ params }) => tokens.require(params),
    responses: { 204: null },
    async handle({ caller, params, request }) {
      await tokens.revoke(caller, params, request);
      return noContent();
    },
  }),
];
