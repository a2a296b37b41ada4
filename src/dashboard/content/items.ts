import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ItemUses, VersionRecord } from '../../content/items/schema.ts';
import { request } from '../api/request.ts';
import type { Listed } from './family.ts';
import type { Space } from './space.ts';

export type Sort = 'name' | '-created_at';

/** Where a family is: its space and the last part of its REST path. */
export interface Shelf {
  space: Space;
  path: string;
}

const urlOf = ({ space, path }: Shelf) => `${space.api}/${path}`;
const keyOf = (shelf: Shelf, ...rest: readonly unknown[]) => ['content', urlOf(shelf), ...rest];

/** A family's items, a page at a time. */
export const itemsQuery = <Entry>(shelf: Shelf, { q, sort }: { q: string; sort: Sort }) =>
  infiniteQueryOptions({
    queryKey: keyOf(shelf, 'list', q, sort),
    queryFn({ signal, pageParam }) {
      const query = new URLSearchParams({ sort });
      if (q.trim() !== '') query.set('q', q);
      if (pageParam !== null) query.set('cursor', pageParam);
      return request<{ data: Entry[]; next_cursor: string | null }>(`${urlOf(shelf)}?${query}`, {
        signal,
      });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const itemQuery = <Item>(shelf: Shelf, id: string) =>
  queryOptions({
    queryKey: keyOf(shelf, 'item', id),
    queryFn: ({ signal }) => request<Item>(`${urlOf(shelf)}/${id}`, { signal }),
  });

export const versionsQuery = (shelf: Shelf, id: string) =>
  queryOptions({
    queryKey: keyOf(shelf, 'item', id, 'versions'),
    queryFn: ({ signal }) =>
      request<{ data: VersionRecord[] }>(`${urlOf(shelf)}/${id}/versions`, { signal }),
  });

export const versionQuery = <Item>(shelf: Shelf, id: string, version: number) =>
  queryOptions({
    queryKey: keyOf(shelf, 'item', id, 'versions', version),
    queryFn: ({ signal }) => request<Item>(`${urlOf(shelf)}/${id}/versions/${version}`, { signal }),
    staleTime: Infinity,
  });

/** What uses an item, and so what stops working without it. */
export const usesQuery = (shelf: Shelf, id: string) =>
  queryOptions({
    queryKey: keyOf(shelf, 'item', id, 'uses'),
    queryFn: ({ signal }) => request<ItemUses>(`${urlOf(shelf)}/${id}/uses`, { signal }),
  });

/** Creates an item. The header makes a repeated request return the first answer. */
export const createItem = <Item>(shelf: Shelf, body: object, idempotencyKey: string) =>
  request<Item>(urlOf(shelf), { body, headers: { 'idempotency-key': idempotencyKey } });

/** Saves the next version, unless the item has been changed since `version` was read. */
export const changeItem = <Item>(shelf: Shelf, id: string, version: number, body: object) =>
  request<Item>(`${urlOf(shelf)}/${id}`, { method: 'PATCH', body, headers: ifMatch(version) });

export const deleteItem = (shelf: Shelf, { id, version }: Listed) =>
  request<void>(`${urlOf(shelf)}/${id}`, { method: 'DELETE', headers: ifMatch(version) });

/** Saves the content of an earlier version as the next one. */
export const restoreItem = <Item>(shelf: Shelf, { id, version }: Listed, earlier: number) =>
  request<Item>(`${urlOf(shelf)}/${id}/versions/${earlier}/restore`, {
    method: 'POST',
    headers: ifMatch(version),
  });

/** Moves a team’s item into the catalog of its organization; it keeps its id and its history. */
export const promoteItem = (shelf: Shelf, { id, version }: Listed) =>
  request<Listed>(`${urlOf(shelf)}/${id}/promote`, { method: 'POST', headers: ifMatch(version) });

const ifMatch = (version: number) => ({ 'if-match': `"${version}"` });
