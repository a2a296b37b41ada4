import { queryOptions } from '@tanstack/react-query';
import type { ConnectionEdit, ConnectionRecord } from '../../oauth/connections/schema.ts';
import type { Preview } from '../../visibility/schema.ts';
import { readAll } from '../api/lists.ts';
import { request } from '../api/request.ts';
import type { Owner } from '../organizations/use-owner.ts';

/** Returns the path of the connections of a person or an organization, or of one of them. */
export const connectionPath = ({ api }: Pick<Owner, 'api'>, rest = '') =>
  `${api}/connections${rest}`;

/** All connections below a path; REST does not return a single one. */
export const connectionsQuery = (path: string) =>
  queryOptions({
    queryKey: ['connections', path],
    queryFn: ({ signal }) => readAll<ConnectionRecord>(path, signal),
  });

/** What a connection sees. */
export const connectionPreviewQuery = (path: string) =>
  queryOptions({
    queryKey: ['connection-preview', path],
    queryFn: ({ signal }) => request<Preview>(`${path}/preview`, { signal }),
  });

export const updateConnection = (path: string, edit: ConnectionEdit) =>
  request<ConnectionRecord>(path, { method: 'PATCH', body: edit });

export const revokeConnection = (path: string) => request<void>(path, { method: 'DELETE' });
