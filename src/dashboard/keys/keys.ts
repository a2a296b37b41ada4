import { queryOptions } from '@tanstack/react-query';
import type { KeyEdit, KeyEditPreview, KeyPreview } from '../../keys/schema.ts';
import { request } from '../api/request.ts';
import type { Key, OwnKey } from './key-values.ts';
import { pagedQuery } from '../organizations/organizations.ts';

/** The keys below a path, newest first; with a text, those whose name begins with it, by name. */
export const foundKeysQuery = <Found extends Key>(path: string, q: string) =>
  pagedQuery<Found>(path, { q });
export const keysQuery = foundKeysQuery<OwnKey>('/api/keys', '');

export const keyQuery = (path: string) =>
  queryOptions({
    queryKey: ['key', path],
    queryFn: ({ signal }) => request<Key>(path, { signal }),
  });

/** What a saved key sees. */
export const keyPreviewQuery = (path: string) =>
  queryOptions({
    queryKey: ['key', path, 'preview'],
    queryFn: ({ signal }) => request<KeyPreview>(`${path}/preview`, { signal }),
  });

/** What a key would see once it is created. */
export const draftPreviewQuery = (path: string, draft: object) =>
  queryOptions({
    queryKey: ['draft-preview', path, draft],
    queryFn: ({ signal }) => request<KeyPreview>(`${path}/preview`, { body: draft, signal }),
    staleTime: 0,
  });

/** What a saved key would see after an edit, and what it would gain and lose. */
export const editPreviewQuery = (path: string, edit: KeyEdit) =>
  queryOptions({
    queryKey: ['key', path, 'edit-preview', edit],
    queryFn: ({ signal }) => request<KeyEditPreview>(`${path}/preview`, { body: edit, signal }),
    staleTime: 0,
  });

/** Creates a key. The header makes a repeated request return the first answer, with its secret. */
export const createKey = (path: string, draft: object, idempotencyKey: string) =>
  request<Key & { secret: string }>(path, {
    body: draft,
    headers: { 'idempotency-key': idempotencyKey },
  });

export const updateKey = (path: string, edit: KeyEdit) =>
  request<Key>(path, { method: 'PATCH', body: edit });
