import { queryOptions } from '@tanstack/react-query';
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
import type { Owner } from '../organizations/use-owner.ts';

export type NewClient = z.input<typeof ClientDraft>;
export type ClientPreset = z.infer<typeof ClientPresets>['data'][number];

/** Returns the path of the OAuth clients of a person or an organization, or of one of them. */
export const clientPath = ({ api }: Pick<Owner, 'api'>, rest = '') => `${api}/oauth-clients${rest}`;

export const clientQuery = (path: string) =>
  queryOptions({
    queryKey: ['oauth-client', path],
    queryFn: ({ signal }) => request<ClientRecord>(path, { signal }),
  });

/** Known MCP clients, and what to register for each. */
export const clientPresetsQuery = queryOptions({
  queryKey: ['oauth-client-presets'],
  queryFn: ({ signal }) =>
    request<z.infer<typeof ClientPresets>>('/api/oauth-client-presets', { signal }),
  staleTime: Infinity,
});

/** Registers a client. The header makes a repeated request return the first answer. */
export const createClient = (path: string, draft: NewClient, idempotencyKey: string) =>
  request<CreatedClient>(path, { body: draft, headers: { 'idempotency-key': idempotencyKey } });

export const updateClient = (path: string, edit: ClientEdit) =>
  request<ClientRecord>(path, { method: 'PATCH', body: edit });

export const deleteClient = (path: string) => request<void>(path, { method: 'DELETE' });

export const createSecret = (path: string, idempotencyKey: string) =>
  request<CreatedSecret>(`${path}/secrets`, {
    method: 'POST',
    headers: { 'idempotency-key': idempotencyKey },
  });

export const deleteSecret = (path: string, secretId: string) =>
  request<void>(`${path}/secrets/${secretId}`, { method: 'DELETE' });
