import { z } from 'zod';
import { authorityOf } from '../../caller/actor.ts';
import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { pageIn, pageOf, PageQuery } from '../../platform/http/pages.ts';
import type { Mount } from '../spaces/mount.ts';
import type { Designation } from './designation.ts';
import {
  CatalogPrompt,
  CatalogTool,
  McpSettings,
  OrganizationMcpSettings,
  ScopableTool,
} from './schema.ts';
import type { Selection } from './selection.ts';

/** Routes of the catalog, of the selection, and of the built-in tools a key's policy may name. */
export const selectionRoutes = (selection: Selection, mount: Mount): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/catalog/tools',
    access: { on: 'account', permission: 'see' },
    operation_id: 'listCatalogTools',
    summary: 'List the built-in tools',
    tag: 'Catalog',
    query: PageQuery,
    responses: { 200: pageOf(CatalogTool) },
    errors: { 400: ['invalid_cursor'] },
    handle: ({ query }) => ok(pageIn(selection.catalogTools(), query)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/catalog/prompts',
    access: { on: 'account', permission: 'see' },
    operation_id: 'listCatalogPrompts',
    summary: 'List the platform prompts',
    tag: 'Catalog',
    query: PageQuery,
    responses: { 200: pageOf(CatalogPrompt) },
    errors: { 400: ['invalid_cursor'] },
    handle: ({ query }) => ok(pageIn(selection.catalogPrompts(), query)),
  }),
  defineRoute({
    method: 'GET',
    path: `${mount.path}/mcp-settings`,
    access: mount.access('mcp_settings_read'),
    operation_id: 'getMcpSettings',
    summary: 'Show the selected built-in items',
    tag: 'MCP settings',
    responses: { 200: McpSettings },
    handle: async ({ caller, params }) =>
      ok(await selection.settings(mount.spaceOf({ caller, params }).id)),
  }),
  defineRoute({
    method: 'PUT',
    path: `${mount.path}/mcp-settings`,
    access: mount.access('mcp_settings_write'),
    operation_id: 'replaceMcpSettings',
    summary: 'Replace the selection',
    tag: 'MCP settings',
    body: McpSettings,
    responses: { 200: McpSettings },
    errors: { 409: ['name_taken'], 422: ['duplicate_item', 'unknown_item'] },
    handle: async ({ caller, params, body, request }) =>
      ok(
        await selection.replace(
          mount.spaceOf({ caller, params }),
          body,
          authorityOf(caller, request),
        ),
      ),
  }),
  defineRoute({
    method: 'GET',
    path: `${mount.path}/tools/scopable`,
    access: mount.access('tools_read'),
    operation_id: 'listScopableTools',
    summary: 'List built-in tools that a key policy may name',
    tag: 'Tools',
    query: PageQuery,
    responses: { 200: pageOf(ScopableTool) },
    errors: { 400: ['invalid_cursor'] },
    handle: async ({ caller, params, query }) =>
      ok(pageIn(await selection.scopableTools(mount.spaceOf({ caller, params }).id), query)),
  }),
];

const organizationPath = '/api/organizations/{organization_id}/mcp-settings';
const OrganizationParams = z.object({ organization_id: z.guid().toLowerCase() });

/** Routes of an organization's selection of built-in items. */
export const designationRoutes = (designation: Designation): Route[] => [
  defineRoute({
    method: 'GET',
    path: organizationPath,
    access: { on: 'organization', permission: 'mcp_settings_read' },
    operation_id: 'getOrganizationMcpSettings',
    summary: 'Show the built-in items an organization selected',
    tag: 'MCP settings',
    params: OrganizationParams,
    responses: { 200: OrganizationMcpSettings },
    handle: async ({ params }) => ok(await designation.settings(params.organization_id)),
  }),
  defineRoute({
    method: 'PUT',
    path: organizationPath,
    access: { on: 'organization', permission: 'mcp_settings_write' },
    operation_id: 'replaceOrganizationMcpSettings',
    summary: 'Replace the selection and its organization-wide items',
    tag: 'MCP settings',
    params: OrganizationParams,
    body: OrganizationMcpSettings,
    errors: { 409: ['name_taken'], 422: ['duplicate_item', 'not_selected', 'unknown_item'] },
    responses: { 200: OrganizationMcpSettings },
    handle: async ({ caller, params, body, request }) =>
      ok(await designation.replace(params.organization_id, body, authorityOf(caller, request))),
  }),
];
