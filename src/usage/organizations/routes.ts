import type { Principal } from '../../caller/principal.ts';
import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Usage } from '../usage.ts';
import {
  OrganizationCallPage,
  OrganizationCallQuery,
  OrganizationParams,
  OrganizationUsage,
  TeamParams,
  TeamUsage,
} from './schema.ts';

const tag = 'Usage';
const path = '/api/organizations/{organization_id}';

/** Throws 404 unless the caller is in the team, or may manage every team. */
export type RequireInside = (caller: Principal, team: TeamParams) => Promise<unknown>;

export const organizationUsageRoutes = (
  { organizations }: Pick<Usage, 'organizations'>,
  requireInside: RequireInside,
): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${path}/usage`,
    access: { on: 'organization', permission: 'usage_read' },
    operation_id: 'getOrganizationUsage',
    summary: 'Show usage of each limit, and calls by item, member and credential',
    tag,
    params: OrganizationParams,
    responses: { 200: OrganizationUsage },
    handle: async ({ caller, params }) =>
      ok(await organizations.report(caller, params.organization_id)),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/calls`,
    access: { on: 'organization', permission: 'usage_read' },
    operation_id: 'listOrganizationCalls',
    summary: 'List an organization’s calls, including rejected ones, newest first',
    tag,
    params: OrganizationParams,
    query: OrganizationCallQuery,
    responses: { 200: OrganizationCallPage },
    handle: async ({ caller, params, query }) =>
      ok(await organizations.calls(caller, params.organization_id, query)),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/teams/{team_id}/usage`,
    access: { on: 'team', permission: 'usage_read' },
    operation_id: 'getTeamUsage',
    summary: 'Show this month’s calls to a team’s items',
    tag,
    params: TeamParams,
    object: ({ caller, params }) => requireInside(caller, params),
    responses: { 200: TeamUsage },
    handle: async ({ params }) => ok(await organizations.teamReport(params)),
  }),
];
