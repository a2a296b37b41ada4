import { z } from 'zod';
import { authorityOf } from '../../caller/actor.ts';
import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import type { Designation } from './designation.ts';
import { OrganizationMcpSettings } from './schema.ts';

const tag = 'MCP settings';
const path = '/api/organizations/{organization_id}/mcp-settings';
const Params = z.object({ organization_id: z.guid().toLowerCase() });

export const designationRoutes = (designation: Designation): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    access: { on: 'organization', permission: 'mcp_settings_read' },
    operation_id: 'getOrganizationMcpSettings',
    summary: 'Show the built-in items an organization selected',
    tag,
    params: Params,
    responses: { 200: OrganizationMcpSettings },
    handle: async ({ params }) => ok(await designation.settings(params.organization_id)),
  }),
  defineRoute({
    method: 'PUT',
    path,
    access: { on: 'organization', permission: 'mcp_settings_write' },
    operation_id: 'replaceOrganizationMcpSettings',
    summary: 'Replace the selection, and what of it is organization-wide',
    tag,
    params: Params,
    body: OrganizationMcpSettings,
    responses: { 200: OrganizationMcpSettings },
    handle: async ({ caller, params, body, request }) =>
      ok(await designation.replace(params.organization_id, body, authorityOf(caller, request))),
  }),
];
