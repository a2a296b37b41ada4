import { queryOptions } from '@tanstack/react-query';
import type { ConnectionRecord } from '../../oauth/connections/schema.ts';
import type { Preview } from '../../visibility/schema.ts';
import { readAll } from '../api/lists.ts';
import { request } from '../api/request.ts';

const PATH = '/api/me/connections';

export const connectionPath = (id: string) => `${PATH}/${id}`;

/** The applications that the person allowed, newest first; REST lists them only as a whole. */
export const connectionsQuery = queryOptions({
  queryKey: ['connections'],
  queryFn: ({ signal }) => readAll<ConnectionRecord>(PATH, signal),
});

/** What a connection sees. */
export const connectionPreviewQuery = (id: string) =>
  queryOptions({
    queryKey: ['connections', id, 'preview'],
    queryFn: ({ signal }) => request<Preview>(`${connectionPath(id)}/preview`, { signal }),
  });

export const setDefaultAgent = (id: string, default_agent_id: string | null) =>
  request<ConnectionRecord>(connectionPath(id), { method: 'PATCH', body: { default_agent_id } });

export const revokeConnection = (id: string) =>
  request<void>(connectionPath(id), { method: 'DELETE' });
