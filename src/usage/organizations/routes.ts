import type { Principal } from '../../caller/principal.ts';
import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { callTable } from '../call-files.ts';
import { DailyQuery, DailyUsage } from '../daily/schema.ts';
import { dailyRows, dailyTable } from '../daily/table.ts';
import type { Usage } from '../usage.ts';
import {
  OrganizationCallPage,
  OrganizationCallQuery,
  OrganizationParams,
  OrganizationUsage,
  TeamParams,
  TeamUsage,
} from './schema.ts';

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
    summary: 'Get organization usage',
    tag: 'Organization usage',
    params: OrganizationParams,
    responses: { 200: OrganizationUsage },
    handle: async ({ caller, params }) =>
      ok(await organizations.report(caller, params.organization_id)),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/usage/daily`,
    access: { on: 'organization', permission: 'usage_read' },
    operation_id: 'getOrganizationDailyUsage',
    summary: 'Get an organization’s daily usage',
    tag: 'Organization usage',
    params: OrganizationParams,
    query: DailyQuery,
    responses: { 200: DailyUsage },
    table: {
      ...dailyTable,
      pages: ({ caller, params, query }) =>
        dailyRows(query, () => organizations.daily(caller, params.organization_id, query)),
    },
    handle: async ({ caller, params, query }) =>
      ok(await organizations.daily(caller, params.organization_id, query)),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/calls`,
    access: { on: 'organization', permission: 'usage_read' },
    operation_id: 'listOrganizationCalls',
    summary: 'List organization calls',
    description: 'The newest is first. Rejected calls are included.',
    tag: 'Organization usage',
    params: OrganizationParams,
    query: OrganizationCallQuery,
    responses: { 200: OrganizationCallPage },
    table: {
      ...callTable(['member.account_id', 'member.email', 'credential.kind', 'credential.id']),
      pages: ({ caller, params, query }) =>
        organizations.callFile(caller, params.organization_id, query),
    },
    handle: async ({ caller, params, query }) =>
      ok(await organizations.calls(caller, params.organization_id, query)),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/teams/{team_id}/usage`,
    access: { on: 'team', permission: 'usage_read' },
    operation_id: 'getTeamUsage',
    summary: 'Get team usage',
    tag: 'Team usage',
    params: TeamParams,
    object: ({ caller, params }) => requireInside(caller, params),
    responses: { 200: TeamUsage },
    handle: async ({ params }) => ok(await organizations.teamReport(params)),
  }),
];
