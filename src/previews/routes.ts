import { z } from 'zod';
import { authorityOf } from '../caller/actor.ts';
import type { InteractiveAccess } from '../caller/access.ts';
import type { SessionPrincipal } from '../caller/principal.ts';
import { defineRoute, ok } from '../caller/route.ts';
import type { RequestFacts, Route } from '../caller/route.ts';
import type { Content } from '../content/content.ts';
import { McpSettings, OrganizationMcpSettings } from '../content/selection/schema.ts';
import { personalSpaceOf } from '../content/content.ts';
import { MemberEdit, MemberParams } from '../organizations/members/schema.ts';
import { OrganizationParams } from '../organizations/organizations.ts';
import type { Organizations } from '../organizations/organizations.ts';
import { RoleEdit, RoleParams } from '../organizations/roles/schema.ts';
import { policyBodies } from '../organizations/teams/policies/schema.ts';
import { TeamParams } from '../organizations/teams/schema.ts';
import { SeatDraft, SeatEdit, SeatParams } from '../organizations/teams/seats/schema.ts';
import { POLICY_MS } from '../policies/evaluation-time.ts';
import type { Policies } from '../policies/item-policies.ts';
import type { Previews, Scope } from './previews.ts';
import { ChangePreview } from './schema.ts';

export interface PreviewRouteParts {
  previews: Previews;
  content: Pick<Content, 'captured'>;
  organizations: Pick<Organizations, 'captured'>;
}

/** Previews of changes, each below the path of the change and with its body: who gains and loses what. */
export const previewRoutes = (parts: PreviewRouteParts): Route[] => [
  ...settingsRoutes(parts),
  ...policyRoutes(parts),
  ...memberRoutes(parts),
  ...teamMemberRoutes(parts),
];

interface Input<Body, Params> {
  caller: SessionPrincipal;
  body: Body;
  params: Params;
  request: RequestFacts;
}

/** A change that is previewed. */
interface Previewed<Body, Params> {
  /** Path of the change. */
  path: string;
  access: InteractiveAccess;
  operation_id: string;
  summary: string;
  tag: string;
  body: z.ZodType<Body>;
  params: z.ZodType<Params>;
  object?(input: Pick<Input<Body, Params>, 'caller' | 'params'>): Promise<unknown>;
  scope(params: Params, body: Body): Scope;
  /** Makes the change by a service that requests it of `capturing`. */
  change(input: Input<Body, Params>): Promise<unknown>;
}

function previewOf<Body, Params>(
  parts: PreviewRouteParts,
  { path, scope, change, ...route }: Previewed<Body, Params>,
): Route {
  return defineRoute({
    ...route,
    method: 'POST',
    path: `${path}/preview`,
    responses: { 200: ChangePreview },
    errors: { 429: ['rate_limited'] },
    within_ms: POLICY_MS,
    saves_nothing: true,
    async handle(input) {
      const sent = input as Input<Body, Params>;
      const run = () => change(sent);
      return ok(await parts.previews.of(sent.caller, scope(sent.params, sent.body), run));
    },
  });
}

const organization = '/api/organizations/{organization_id}';
const team = `${organization}/teams/{team_id}`;

const settingsRoutes = (parts: PreviewRouteParts): Route[] => [
  previewOf(parts, {
    path: '/api/me/mcp-settings',
    access: { interactive: 'manage_keys' },
    operation_id: 'previewMcpSettings',
    summary: 'Preview your MCP settings',
    tag: 'MCP settings',
    params: z.object({}),
    body: McpSettings,
    scope: () => 'personal',
    change: ({ caller, body, request }) =>
      parts.content.captured.selection.replace(
        personalSpaceOf(caller),
        body,
        authorityOf(caller, request),
      ),
  }),
  previewOf(parts, {
    path: `${organization}/mcp-settings`,
    access: { interactive: 'organization', permission: 'mcp_settings_write' },
    operation_id: 'previewOrganizationMcpSettings',
    summary: 'Preview organization MCP settings',
    tag: 'Organization MCP settings',
    params: OrganizationParams,
    body: OrganizationMcpSettings,
    scope: ({ organization_id }) => ({ organization_id, by: 'all', compared: null }),
    change: ({ caller, params, body, request }) =>
      parts.content.captured.designation.replace(
        params.organization_id,
        body,
        authorityOf(caller, request),
      ),
  }),
];

const POLICIES = { tool: 'Tool', resource: 'Resource', prompt: 'Prompt', agent: 'Agent' } as const;

const policyRoutes = (parts: PreviewRouteParts): Route[] =>
  Object.entries(POLICIES).map(([name, word]) => {
    const family = name as keyof Policies;
    return previewOf<Policies[keyof Policies], TeamParams>(parts, {
      path: `${team}/policies/${family}`,
      access: { interactive: 'team', permission: `${family}_policies_write` },
      operation_id: `previewTeam${word}Policy`,
      summary: `Preview a team’s ${family} policy`,
      tag: 'Team policies',
      params: TeamParams,
      object: ({ caller, params }) =>
        parts.organizations.captured.teams.requireInside(caller, params),
      body: policyBodies[family],
      scope: ({ organization_id, team_id }) => ({
        ...{ organization_id, by: { team_id }, compared: null },
      }),
      change: ({ caller, params, body: policy, request }) =>
        parts.organizations.captured.teams.policies.replace(
          caller,
          { team: params, family, policy },
          request,
        ),
    });
  });

const memberRoutes = (parts: PreviewRouteParts): Route[] => {
  const captured = () => parts.organizations.captured;
  return [
    previewOf(parts, {
      path: `${organization}/roles/{role_id}`,
      access: { interactive: 'organization', permission: 'roles_update' },
      operation_id: 'previewOrganizationRoleEdit',
      summary: 'Preview a role edit',
      tag: 'Roles',
      params: RoleParams,
      object: ({ params }) => captured().roles.get(params),
      body: RoleEdit,
      scope: ({ organization_id, role_id }) => ({
        ...{ organization_id, by: { role_id }, compared: { organization_id, team_id: null } },
      }),
      change: ({ caller, params, body, request }) =>
        captured().roles.update(caller, params, body, request),
    }),
    previewOf(parts, {
      path: `${organization}/members/{account_id}`,
      access: { interactive: 'organization', permission: 'members_update' },
      operation_id: 'previewOrganizationMemberEdit',
      summary: 'Preview a member’s roles',
      tag: 'Members',
      params: MemberParams,
      object: ({ params }) => captured().members.require(params),
      body: MemberEdit,
      scope: ({ organization_id, account_id }) => ({
        ...{ organization_id, by: { account_id }, compared: { organization_id, team_id: null } },
      }),
      change: ({ caller, params, body, request }) =>
        captured().members.update(caller, params, body, request),
    }),
  ];
};

const teamMemberRoutes = (parts: PreviewRouteParts): Route[] => {
  const teams = () => parts.organizations.captured.teams;
  const scopeOf = ({ organization_id, team_id }: TeamParams, account_id: string): Scope => ({
    ...{ organization_id, by: { account_id }, compared: { organization_id, team_id } },
  });
  return [
    previewOf(parts, {
      path: `${team}/members`,
      access: { interactive: 'team', permission: 'members_create' },
      operation_id: 'previewTeamMember',
      summary: 'Preview a new team member',
      tag: 'Team members',
      params: TeamParams,
      object: ({ caller, params }) => teams().requireInside(caller, params),
      body: SeatDraft,
      scope: (params, { account_id }) => scopeOf(params, account_id),
      change: ({ caller, params, body, request }) =>
        teams().seats.create(caller, params, body, request),
    }),
    previewOf(parts, {
      path: `${team}/members/{account_id}`,
      access: { interactive: 'team', permission: 'members_update' },
      operation_id: 'previewTeamMemberEdit',
      summary: 'Preview a team member’s roles',
      tag: 'Team members',
      params: SeatParams,
      async object({ caller, params }) {
        await teams().requireInside(caller, params);
        await teams().seats.require(params);
      },
      body: SeatEdit,
      scope: (params) => scopeOf(params, params.account_id),
      change: ({ caller, params, body, request }) =>
        teams().seats.update(caller, params, body, request),
    }),
  ];
};
