import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { KeyDraft, KeyPreview, OwnKeyRecord } from '../../keys/schema.ts';
import { request } from '../api/request.ts';

export type Key = z.infer<typeof OwnKeyRecord>;
export type NewKey = Partial<z.input<typeof KeyDraft>> &
  Pick<KeyDraft, 'name' | 'mcp_capabilities'>;

/** The account's keys, newest first. */
export const keysQuery = infiniteQueryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal, pageParam }) =>
    request<{ data: Key[]; next_cursor: string | null }>(
      `/api/keys${pageParam === null ? '' : `?cursor=${encodeURIComponent(pageParam)}`}`,
      { signal },
    ),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: ['keys', id],
    queryFn: ({ signal }) => request<Key>(`/api/keys/${id}`, { signal }),
  });

/** What a saved key sees. */
export const keyPreviewQuery = (id: string) =>
  queryOptions({
    queryKey: ['keys', id, 'preview'],
    queryFn: ({ signal }) => request<KeyPreview>(`/api/keys/${id}/preview`, { signal }),
  });

/** What a key would see once it is created. */
export const draftPreviewQuery = (draft: NewKey) =>
  queryOptions({
    queryKey: ['draft-preview', draft],
    queryFn: ({ signal }) => request<KeyPreview>('/api/keys/preview', { body: draft, signal }),
    staleTime: 0,
  });

/** Creates a key. The header makes a repeated request return the first answer, with its secret. */
export const createKey = (draft: NewKey, idempotencyKey: string) =>
  request<Key & { secret: string }>('/api/keys', {
    body: draft,
    headers: { 'idempotency-key': idempotencyKey },
  });

export const revokeKey = (id: string) => request<void>(`/api/keys/${id}`, { method: 'DELETE' });
