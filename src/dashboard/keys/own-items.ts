import { queryOptions } from '@tanstack/react-query';
import type { CatalogPrompt, ScopableTool } from '../../content/selection/schema.ts';
import type { Reference } from '../../platform/http/reference.ts';
import { readAll } from '../api/lists.ts';

/** Items that a key's policies can name. */
export const builtInToolsQuery = queryOptions({
  queryKey: ['scopable', 'tools'],
  queryFn: ({ signal }) => readAll<ScopableTool>('/api/me/tools/scopable', signal),
});

export const ownToolsQuery = queryOptions({
  queryKey: ['scopable', 'custom-tools'],
  queryFn: ({ signal }) => readAll<Reference>('/api/me/custom-tools/scopable', signal),
});

export const ownPromptsQuery = queryOptions({
  queryKey: ['scopable', 'prompts'],
  queryFn: ({ signal }) => readAll<Reference>('/api/me/prompts/scopable', signal),
});

export const builtInPromptsQuery = queryOptions({
  queryKey: ['catalog', 'prompts'],
  queryFn: ({ signal }) => readAll<CatalogPrompt>('/api/catalog/prompts', signal),
  staleTime: Infinity,
});

export const ownAgentsQuery = queryOptions({
  queryKey: ['scopable', 'agents'],
  queryFn: ({ signal }) => readAll<Reference>('/api/me/agents', signal),
});

export const ownResourcesQuery = queryOptions({
  queryKey: ['scopable', 'resources'],
  queryFn: ({ signal }) => readAll<{ id: string; path: string }>('/api/me/resources', signal),
});
