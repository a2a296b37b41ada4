import { defineRoute, ok } from '../caller/route.ts';
import type { Route } from '../caller/route.ts';
import { KeyParams, OrganizationKeyParams } from '../keys/schema.ts';
import { ConnectionParams, OrganizationConnectionParams } from '../oauth/connections/schema.ts';
import { OrganizationParams } from '../organizations/schema.ts';
import { MemberParams } from '../organizations/members/schema.ts';
import { RoleParams } from '../organizations/roles/schema.ts';
import { TeamParams } from '../organizations/teams/schema.ts';
import { PageQuery } from '../platform/http/pages.ts';
import type { Explorer } from './explorer.ts';
import { reviewRoutes } from './reviews/routes.ts';
import {
  AccessDiff,
  AccessDiffQuestion,
  AccessExplanation,
  AccessQuestion,
  familyOf,
  HolderPage,
  ItemUserPage,
  ItemUserParams,
  PermissionParams,
  SubjectAccess,
} from './schema.ts';

/** Who may do what in an organization; for those who may read its audit log. */
export const explorerRoutes = (explorer: Explorer): Route[] => [
  ...credentialRoutes(explorer),
  ...groupRoutes(explorer),
  ...holderRoutes(explorer),
  ...whyRoutes(explorer),
  ...ownRoutes(explorer),
  ...reviewRoutes(explorer),
];

const organization = '/api/organizations/{organization_id}';
const shared = {
  method: 'GET',
  access: { on: 'organization', permission: 'audit_read' },
  tag: 'Access',
  within_ms: 20_000,
} as const;
const KEYS = ['key', 'organization_key'] as const;
const CONNECTIONS = ['connection', 'client'] as const;

const credentialRoutes = ({ access, requireSubject }: Explorer): Route[] => [
  defineRoute({
    ...shared,
    path: `${organization}/members/{account_id}/access`,
    operation_id: 'getMemberAccess',
    summary: 'Get a member’s access',
    description: 'The items are those of a credential of the member that follows all their teams.',
    params: MemberParams,
    object: ({ params }) => requireSubject(params.organization_id, params.account_id, ['member']),
    responses: { 200: SubjectAccess },
    handle: async ({ caller, params: { organization_id, account_id } }) =>
      ok(await access.ofMember({ caller, organization_id }, account_id)),
  }),
  defineRoute({
    ...shared,
    path: `${organization}/keys/{key_id}/access`,
    operation_id: 'getKeyAccess',
    summary: 'Get a key’s access',
    description:
      'A key of the organization, or one of a member that reaches into it. The items of a member’s own space are shown to that member alone.',
    params: OrganizationKeyParams,
    object: ({ params }) => requireSubject(params.organization_id, params.key_id, KEYS),
    responses: { 200: SubjectAccess },
    handle: async ({ caller, params: { organization_id, key_id } }) =>
      ok(await access.ofCredential({ caller, organization_id }, key_id, KEYS)),
  }),
  defineRoute({
    ...shared,
    path: `${organization}/connections/{connection_id}/access`,
    operation_id: 'getConnectionAccess',
    summary: 'Get a connection’s access',
    description:
      'The connection of an OAuth client that a member authorized, or that acts by itself.',
    params: OrganizationConnectionParams,
    object: ({ params }) =>
      requireSubject(params.organization_id, params.connection_id, CONNECTIONS),
    responses: { 200: SubjectAccess },
    handle: async ({ caller, params: { organization_id, connection_id } }) =>
      ok(await access.ofCredential({ caller, organization_id }, connection_id, CONNECTIONS)),
  }),
];

const groupRoutes = ({ access, requireRole, requireTeam }: Explorer): Route[] => [
  defineRoute({
    ...shared,
    path: `${organization}/roles/{role_id}/access`,
    operation_id: 'getRoleAccess',
    summary: 'Get a role’s access',
    params: RoleParams,
    object: ({ params }) => requireRole(params),
    responses: { 200: SubjectAccess },
    handle: async ({ caller, params: { organization_id, role_id } }) =>
      ok(await access.ofRole({ caller, organization_id }, role_id)),
  }),
  defineRoute({
    ...shared,
    path: `${organization}/teams/{team_id}/access`,
    operation_id: 'getTeamAccess',
    summary: 'Get a team’s access',
    description: 'The items that a credential would see that is bound to the team alone.',
    params: TeamParams,
    object: ({ params }) => requireTeam(params),
    responses: { 200: SubjectAccess },
    handle: async ({ caller, params: { organization_id, team_id } }) =>
      ok(await access.ofTeam({ caller, organization_id }, team_id)),
  }),
];

const subjectColumns = [
  ...['subject.kind', 'subject.id', 'subject.name', 'subject.owner.account_id'],
  ...['subject.owner.email', 'subject.follows', 'subject.last_used_at'],
];

const holderRoutes = ({ holders, users, requirePermission }: Explorer): Route[] => [
  defineRoute({
    ...shared,
    path: `${organization}/access/permissions/{permission}`,
    operation_id: 'listPermissionHolders',
    summary: 'List who holds a permission',
    description:
      'Lists members and credentials. A permission in teams has the teams in which it is held.',
    params: PermissionParams,
    object: async ({ params }) => void requirePermission(params.permission),
    query: PageQuery,
    responses: { 200: HolderPage },
    table: {
      file_name: 'toolgate-permission-holders',
      columns: [...subjectColumns, 'teams', 'because'],
      pages: ({ params }) => holders.parts(params, params.permission),
    },
    handle: async ({ params, query }) => ok(await holders.page(params, params.permission, query)),
  }),
  defineRoute({
    ...shared,
    path: `${organization}/access/items/{family}/{item_id}`,
    operation_id: 'listItemUsers',
    summary: 'List who can use an item',
    description: 'Credentials that could use it over MCP now, within their limits.',
    params: ItemUserParams,
    object: async () => {},
    query: PageQuery,
    responses: { 200: ItemUserPage },
    table: {
      file_name: 'toolgate-item-users',
      columns: [...subjectColumns, 'because'],
      pages: ({ caller, params: { organization_id, family, item_id: id } }) =>
        users.parts({ caller, organization_id }, { family: familyOf[family], id }),
    },
    handle: async ({ caller, params: { organization_id, family, item_id: id }, query }) =>
      ok(await users.page({ caller, organization_id }, { family: familyOf[family], id }, query)),
  }),
];

const whyRoutes = ({ explain, diff }: Explorer): Route[] => [
  defineRoute({
    ...shared,
    method: 'POST',
    path: `${organization}/access/explain`,
    operation_id: 'explainAccess',
    summary: 'Explain a permission or an item',
    description:
      'Why a subject has, or lacks, a permission or the use of an item: every step, with what it rests on, who granted that and when, and the check that repeats it.',
    params: OrganizationParams,
    body: AccessQuestion,
    responses: { 200: AccessExplanation },
    errors: { 422: ['unknown_permission', 'unknown_team'] },
    saves_nothing: true,
    handle: async ({ caller, params: { organization_id }, body }) =>
      ok(await explain({ caller, organization_id }, body)),
  }),
  defineRoute({
    ...shared,
    method: 'POST',
    path: `${organization}/access/diff`,
    operation_id: 'compareAccess',
    summary: 'Compare two subjects or reviews',
    description:
      'Of two subjects, or of two reviews: what only the left has, only the right, and both.',
    params: OrganizationParams,
    body: AccessDiffQuestion,
    responses: { 200: AccessDiff },
    saves_nothing: true,
    handle: async ({ caller, params: { organization_id }, body }) =>
      ok(await diff({ caller, organization_id }, body)),
  }),
];

const ownRoutes = ({ own }: Explorer): Route[] => [
  defineRoute({
    ...{ method: 'GET', tag: 'API keys', within_ms: shared.within_ms },
    path: '/api/me/access/keys/{key_id}',
    access: { interactive: 'manage_keys' },
    operation_id: 'getOwnKeyAccess',
    summary: 'Get your key’s access',
    params: KeyParams,
    object: ({ caller, params }) => own.requireOwn(caller, params.key_id, 'key'),
    responses: { 200: SubjectAccess },
    handle: async ({ caller, params }) => ok(await own.of(caller, params.key_id, 'key')),
  }),
  defineRoute({
    ...{ method: 'GET', tag: 'OAuth connections', within_ms: shared.within_ms },
    path: '/api/me/access/connections/{connection_id}',
    access: { interactive: 'manage_keys' },
    operation_id: 'getOwnConnectionAccess',
    summary: 'Get your connection’s access',
    params: ConnectionParams,
    object: ({ caller, params }) => own.requireOwn(caller, params.connection_id, 'connection'),
    responses: { 200: SubjectAccess },
    handle: async ({ caller, params }) =>
      ok(await own.of(caller, params.connection_id, 'connection')),
  }),
];
