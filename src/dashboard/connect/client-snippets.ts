import { queryOptions } from '@tanstack/react-query';
import type { ClientSnippets } from '../../keys/snippets/schema.ts';
import { request } from '../api/request.ts';

export type ClientSnippet = ClientSnippets['data'][number];

/** Known MCP clients, and how each is connected. */
export const clientSnippetsQuery = queryOptions({
  queryKey: ['client-snippets'],
  queryFn: ({ signal }) => request<ClientSnippets>('/api/client-snippets', { signal }),
  staleTime: Infinity,
});
