import { z } from 'zod';
import { OrganizationId } from '../../caller/schema.ts';
import { authorityOf } from '../../caller/actor.ts';
import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { searchQuery } from '../../platform/http/list-query.ts';
import { pageOfList, pageOf } from '../../platform/http/pages.ts';
import type { Mount } from '../spaces/mount.ts';
import type { Designation } from './designation.ts';
import {
  CatalogPrompt,
  CatalogTool,
  McpSettings,
  OrganizationCatalogPrompt,
  OrganizationCatalogTool,
  OrganizationMcpSettings,
  ScopableTool,
} from './schema.ts';
import type { Selection } from './selection.ts';

/** Routes of the catalog of built-in items. */
export const catalogRoutes = (selection: Selection): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/catalog/tools',
    access: { on: 'account', permission: 'see' },
    operation_id: 'listCatalogTools',
    summary: 'List built-in tools',
    tag: 'Catalog',
    query: searchQuery(),
    responses: { 200: pageOf(CatalogTool) },
    handle: ({ query }) => ok(pageOfList(selection.catalogTools(), query)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/catalog/prompts',
    access: { on: 'account', permission: 'see' },
    operation_id: 'listCatalogPrompts',
    summary: 'List platform prompts',
    tag: 'Catalog',
    query: searchQuery(),
    responses: { 200: pageOf(CatalogPrompt) },
    handle: ({ query }) => ok(pageOfList(selection.catalogPrompts(), query)),
  }),
];

/** Routes of the selection, and of the built-in tools a key's policy may name. */
export const selectionRoutes = (selection: Selection, mount: Mount): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${mount.path}/mcp-settings`,
    access: mount.access('mcp_settings_read'),
    operation_id: 'getMcpSettings',
    summary: 'Get your MCP settings',
    tag: 'MCP settings',
    responses: { 200: McpSettings },
    handle: async ({ caller, params }) =>
      ok(await selection.settings((await mount.spaceOf({ caller, params })).id)),
  }),
  defineRoute({
    method: 'PUT',
    path: `${mount.path}/mcp-settings`,
    access: mount.access('mcp_settings_write'),
    operation_id: 'replaceMcpSettings',
    summary: 'Replace your MCP settings',
    description: 'Items that are left out are no longer selected.',
    tag: 'MCP settings',
    body: McpSettings,
    responses: { 200: McpSettings },
    errors: { 409: ['name_taken'], 422: ['duplicate_item', 'unknown_item'] },
    handle: async ({ caller, params, body, request }) =>
      ok(
        await selection.replace(
          await mount.spaceOf({ caller, params }),
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
    summary: 'List built-in tools for policies',
    tag: 'MCP settings',
    query: searchQuery(),
    responses: { 200: pageOf(ScopableTool) },
    handle: async ({ caller, params, query }) =>
      ok(
        pageOfList(
          await selection.scopableTools((await mount.spaceOf({ caller, params })).id),
          query,
        ),
      ),
  }),
];

const organizationPath = '/api/organizations/{organization_id}/mcp-settings';
const catalogPath = '/api/organizations/{organization_id}/catalog';
const OrganizationParams = z.object({ organization_id: OrganizationId });

/** Routes of the catalog of built-in items, as an organization's members see it. */
export const organizationCatalogRoutes = (designation: Designation): Route[] => [
  defineRoute({
    method: 'GET',
    path: `${catalogPath}/tools`,
    access: { on: 'organization', permission: 'see' },
    operation_id: 'listOrganizationCatalogTools',
    summary: 'List organization catalog tools',
    description: 'Shows the selection with `can_view_organization_mcp_settings`.',
    tag: 'Organization catalog',
    params: OrganizationParams,
    query: searchQuery(),
    responses: { 200: pageOf(OrganizationCatalogTool) },
    handle: async ({ caller, params, query }) =>
      ok(pageOfList(await designation.tools(caller, params.organization_id), query)),
  }),
  defineRoute({
    method: 'GET',
    path: `${catalogPath}/prompts`,
    access: { on: 'organization', permission: 'see' },
    operation_id: 'listOrganizationCatalogPrompts',
    summary: 'List organization catalog prompts',
    description: 'Shows the selection with `can_view_organization_mcp_settings`.',
    tag: 'Organization catalog',
    params: OrganizationParams,
    query: searchQuery(),
    responses: { 200: pageOf(OrganizationCatalogPrompt) },
    handle: async ({ caller, params, query }) =>
      ok(pageOfList(await designation.prompts(caller, params.organization_id), query)),
  }),
];

/** Routes of an organization's selection of built-in items. */
export const designationRoutes = (designation: Designation): Route[] => [
  defineRoute({
    method: 'GET',
    path: organizationPath,
    access: { on: 'organization', permission: 'mcp_settings_read' },
    operation_id: 'getOrganizationMcpSettings',
    summary: 'Get organization MCP settings',
    tag: 'Organization MCP settings',
    params: OrganizationParams,
    responses: { 200: OrganizationMcpSettings },
    handle: async ({ params }) => ok(await designation.settings(params.organization_id)),
  }),
  defineRoute({
    method: 'PUT',
    path: organizationPath,
    access: { on: 'organization', permission: 'mcp_settings_write' },
    operation_id: 'replaceOrganizationMcpSettings',
    summary: 'Replace organization MCP settings',
    description: 'Items that are left out are no longer selected.',
    tag: 'Organization MCP settings',
    params: OrganizationParams,
    body: OrganizationMcpSettings,
    errors: { 409: ['name_taken'], 422: ['duplicate_item', 'not_selected', 'unknown_item'] },
    responses: { 200: OrganizationMcpSettings },
    handle: async ({ caller, params, body, request }) =>
      ok(await designation.replace(params.organization_id, body, authorityOf(caller, request))),
  }),
];
