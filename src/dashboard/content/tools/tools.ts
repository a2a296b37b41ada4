import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { ToolImported } from '../../../content/tools/openapi/schema.ts';
import type { ToolDraft } from '../../../content/tools/schema.ts';
import type { UpstreamRecord, UpstreamTool } from '../../../content/upstreams/schema.ts';
import { request } from '../../api/request.ts';
import type { Space } from '../space.ts';
import type { Tool } from './tool.ts';

export type Imported = z.infer<typeof ToolImported>;

/** Approves a quarantined tool as it was shown: `pin` names that description. */
export const approveTool = ({ api }: Space, id: string, pin: string) =>
  request<Tool>(`${api}/custom-tools/${id}/approve`, { body: { pin } });

const upstreamsUrl = ({ api }: Space) => `${api}/upstreams`;

/** MCP servers whose tools a space can have. */
export const upstreamsQuery = (space: Space) =>
  infiniteQueryOptions({
    queryKey: ['content', upstreamsUrl(space), 'list'],
    queryFn: ({ signal, pageParam }) =>
      request<{ data: UpstreamRecord[]; next_cursor: string | null }>(
        `${upstreamsUrl(space)}?sort=name${pageParam === null ? '' : `&cursor=${encodeURIComponent(pageParam)}`}`,
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const upstreamQuery = (space: Space, id: string) =>
  queryOptions({
    queryKey: ['content', upstreamsUrl(space), 'one', id],
    queryFn: ({ signal }) => request<UpstreamRecord>(`${upstreamsUrl(space)}/${id}`, { signal }),
  });

/** Asks the server for its tools now. */
export const discoverTools = (space: Space, id: string) =>
  request<{ data: UpstreamTool[] }>(`${upstreamsUrl(space)}/${id}/tools`);

/** Headers to set, and null for those to remove; stored values are never read. */
interface UpstreamBody {
  name: string;
  url: string;
  headers: Record<string, string | null>;
  oauth: object | null;
}

export const createUpstream = (space: Space, body: UpstreamBody, idempotencyKey: string) =>
  request<UpstreamRecord>(upstreamsUrl(space), {
    body,
    headers: { 'idempotency-key': idempotencyKey },
  });

export const changeUpstream = (space: Space, id: string, body: UpstreamBody) =>
  request<UpstreamRecord>(`${upstreamsUrl(space)}/${id}`, { method: 'PATCH', body });

export const removeUpstream = (space: Space, id: string) =>
  request<void>(`${upstreamsUrl(space)}/${id}`, { method: 'DELETE' });

/** Adds a tool of an MCP server. */
export const addTool = ({ api }: Space, body: z.input<typeof ToolDraft>) =>
  request<{ id: string }>(`${api}/custom-tools`, { body });
