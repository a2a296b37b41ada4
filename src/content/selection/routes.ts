import { actorOf } from '../../caller/actor.ts';
import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { pageIn, pageOf, PageQuery } from '../../platform/pages.ts';
import { CatalogPrompt, CatalogTool, McpSettings, ScopableTool } from './schema.ts';
import type { Selection } from './selection.ts';

/** The catalogue, what is selected of it, and what a key's policy may name. */
export const selectionRoutes = (selection: Selection): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/catalog/tools',
    access: { personal: 'see' },
    summary: 'All current built-in tools',
    tag: 'Catalogue',
    query: PageQuery,
    responses: { 200: pageOf(CatalogTool) },
    handle: ({ query }) => ok(pageIn(selection.catalogTools(), query)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/catalog/prompts',
    access: { personal: 'see' },
    summary: 'All current platform prompts',
    tag: 'Catalogue',
    query: PageQuery,
    responses: { 200: pageOf(CatalogPrompt) },
    handle: ({ query }) => ok(pageIn(selection.catalogPrompts(), query)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/me/mcp-settings',
    access: { personal: 'mcp_settings_read' },
    summary: 'The built-in items your agents get',
    tag: 'MCP settings',
    responses: { 200: McpSettings },
    handle: async ({ caller }) => ok(await selection.settings(caller.person)),
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/me/mcp-settings',
    access: { personal: 'mcp_settings_write' },
    summary: 'Replace the selection',
    tag: 'MCP settings',
    body: McpSettings,
    responses: { 200: McpSettings },
    handle: async ({ caller, body, request }) =>
      ok(await selection.replace(caller.person, body, actorOf(caller, request))),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/me/tools/scopable',
    access: { personal: 'tools_read' },
    summary: 'Built-in tools a key can be scoped to',
    tag: 'Tools',
    query: PageQuery,
    responses: { 200: pageOf(ScopableTool) },
    handle: async ({ caller, query }) =>
      ok(pageIn(await selection.scopableTools(caller.person), query)),
  }),
];
