import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type {
  KeyDraft,
  KeyEdit,
  KeyEditPreview,
  KeyPreview,
  OwnKeyRecord,
} from '../../keys/schema.ts';
import { request } from '../api/request.ts';

export type Key = z.infer<typeof OwnKeyRecord>;
export type NewKey = z.input<typeof KeyDraft>;

/** The account's keys, newest first; with a text, those whose name begins with it, by name. */
export const foundKeysQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: q === '' ? ['keys'] : ['keys', { q }],
    queryFn: ({ signal, pageParam }) => {
      const query = new URLSearchParams({
        ...(q === '' ? {} : { q }),
        ...(pageParam === null ? {} : { cursor: pageParam }),
      });
      return request<{ data: Key[]; next_cursor: string | null }>(`/api/keys?${query}`, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
export const keysQuery = foundKeysQuery('');

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

/** What a saved key would see after an edit, and what it would gain and lose. */
export const editPreviewQuery = (id: string, edit: KeyEdit) =>
  queryOptions({
    queryKey: ['keys', id, 'edit-preview', edit],
    queryFn: ({ signal }) =>
      request<KeyEditPreview>(`/api/keys/${id}/preview`, { body: edit, signal }),
    staleTime: 0,
  });

/** Creates a key. The header makes a repeated request return the first answer, with its secret. */
export const createKey = (draft: NewKey, idempotencyKey: string) =>
  request<Key & { secret: string }>('/api/keys', {
    body: draft,
    headers: { 'idempotency-key': idempotencyKey },
  });

export const updateKey = (id: string, edit: KeyEdit) =>
  request<Key>(`/api/keys/${id}`, { method: 'PATCH', body: edit });
