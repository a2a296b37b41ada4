import { queryOptions } from '@tanstack/react-query';
import type { CatalogPrompt, CatalogTool, McpSettings } from '../../content/selection/schema.ts';
import { readAll } from '../api/lists.ts';
import { request } from '../api/request.ts';

/** Built-in items that the account has selected. */
export const mcpSettingsQuery = queryOptions({
  queryKey: ['mcp-settings'],
  queryFn: ({ signal }) => request<McpSettings>('/api/me/mcp-settings', { signal }),
});

export const catalogToolsQuery = queryOptions({
  queryKey: ['catalog', 'tools'],
  queryFn: ({ signal }) => readAll<CatalogTool>('/api/catalog/tools', signal),
  staleTime: Infinity,
});

export const catalogPromptsQuery = queryOptions({
  queryKey: ['catalog', 'prompts'],
  queryFn: ({ signal }) => readAll<CatalogPrompt>('/api/catalog/prompts', signal),
  staleTime: Infinity,
});

export const saveMcpSettings = (settings: McpSettings) =>
  request<McpSettings>('/api/me/mcp-settings', { method: 'PUT', body: settings });
