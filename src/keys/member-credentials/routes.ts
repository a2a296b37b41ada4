import { defineRoute, noContent, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { PageQuery } from '../../platform/http/pages.ts';
import type { MemberCredentials } from './member-credentials.ts';
import { MemberCredentialPage, MemberCredentialParams, MemberCredentialsParams } from './schema.ts';

const path = '/api/organizations/{organization_id}/members/{account_id}/credentials';

/** Routes of the credentials of members, as far as they reach into an organization. */
export const memberCredentialRoutes = (credentials: MemberCredentials): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    access: { interactive: 'organization', permission: 'keys_read' },
    operation_id: 'listMemberCredentials',
    summary: 'List a member’s credentials',
    description:
      'Lists the keys and OAuth connections that reach into the organization, with what they have there. Also requires `can_view_organization_members`, and for connections `can_view_organization_oauth_clients`.',
    tag: 'Members',
    params: MemberCredentialsParams,
    object: ({ params }) => credentials.requireMember(params),
    query: PageQuery,
    responses: { 200: MemberCredentialPage },
    handle: async ({ caller, params, query }) => ok(await credentials.list(caller, params, query)),
  }),
  defineRoute({
    method: 'DELETE',
    path: `${path}/{kind}/{id}`,
    access: { interactive: 'organization', permission: 'keys_revoke', suspended: 'allowed' },
    operation_id: 'removeMemberCredential',
    summary: 'Remove a member’s credential',
    description:
      'Takes from the credential what it has in the organization. One that has nothing elsewhere is revoked. For a connection, it also requires `can_delete_organization_oauth_clients`.',
    tag: 'Members',
    params: MemberCredentialParams,
    object: ({ params }) => credentials.require(params),
    responses: { 204: null },
    async handle({ caller, params, request }) {
      await credentials.require(params);
      await credentials.cut(caller, params, request);
      return noContent();
    },
  }),
];
