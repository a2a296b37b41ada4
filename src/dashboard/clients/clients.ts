import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type {
  ClientDraft,
  ClientEdit,
  ClientPresets,
  ClientRecord,
  CreatedClient,
  CreatedSecret,
} from '../../oauth/clients/schema.ts';
import { request } from '../api/request.ts';

const PATH = '/api/me/oauth-clients';

export type NewClient = z.input<typeof ClientDraft>;
export type ClientPreset = z.infer<typeof ClientPresets>['data'][number];

/** The account's OAuth clients, newest first. */
export const clientsQuery = infiniteQueryOptions({
  queryKey: ['oauth-clients'],
  queryFn: ({ signal, pageParam }) =>
    request<{ data: ClientRecord[]; next_cursor: string | null }>(
      `${PATH}${pageParam === null ? '' : `?cursor=${encodeURIComponent(pageParam)}`}`,
      { signal },
    ),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

export const clientQuery = (id: string) =>
  queryOptions({
    queryKey: ['oauth-clients', id],
    queryFn: ({ signal }) => request<ClientRecord>(`${PATH}/${id}`, { signal }),
  });

/** Known MCP clients, and what to register for each. */
export const clientPresetsQuery = queryOptions({
  queryKey: ['oauth-client-presets'],
  queryFn: ({ signal }) =>
    request<z.infer<typeof ClientPresets>>('/api/oauth-client-presets', { signal }),
  staleTime: Infinity,
});

/** Registers a client. The header makes a repeated request return the first answer. */
export const createClient = (draft: NewClient, idempotencyKey: string) =>
  request<CreatedClient>(PATH, { body: draft, headers: { 'idempotency-key': idempotencyKey } });

export const updateClient = (id: string, edit: ClientEdit) =>
  request<ClientRecord>(`${PATH}/${id}`, { method: 'PATCH', body: edit });

export const deleteClient = (id: string) => request<void>(`${PATH}/${id}`, { method: 'DELETE' });

export const createSecret = (id: string, idempotencyKey: string) =>
  request<CreatedSecret>(`${PATH}/${id}/secrets`, {
    method: 'POST',
    headers: { 'idempotency-key': idempotencyKey },
  });

export const deleteSecret = (id: string, secretId: string) =>
  request<void>(`${PATH}/${id}/secrets/${secretId}`, { method: 'DELETE' });
