import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type {
  ChangeApproval,
  UpstreamChanges,
  UpstreamImport,
  UpstreamImported,
} from '../../../content/followed/schema.ts';
import type { UpstreamsImported } from '../../../content/upstream-documents/schema.ts';
import { request } from '../../api/request.ts';
import type { Space } from '../space.ts';

const upstreamUrl = ({ api }: Space, id: string) => `${api}/upstreams/${id}`;

/** Adds all tools of a server that a filter selects, or previews that. */
export const importWholeServer = (space: Space, id: string, body: z.input<typeof UpstreamImport>) =>
  request<UpstreamImported>(`${upstreamUrl(space, id)}/import`, { body });

/** What is new or changed at a server, and waits for approval. */
export const changesQuery = (space: Space, id: string) =>
  queryOptions({
    queryKey: ['content', upstreamUrl(space, id), 'changes'],
    queryFn: ({ signal }) =>
      request<UpstreamChanges>(`${upstreamUrl(space, id)}/changes`, { signal }),
  });

/** Approves tools exactly as they were shown. */
export const approveChanges = (space: Space, id: string, body: ChangeApproval) =>
  request<UpstreamImported>(`${upstreamUrl(space, id)}/changes/approve`, { body });

/** Adds the servers of a registry's or a client's file. */
export const importServers = ({ api }: Space, document: Record<string, unknown>) =>
  request<UpstreamsImported>(`${api}/upstreams/import`, { body: { document } });
