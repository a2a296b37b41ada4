import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  AccessDiff,
  AccessExplanation,
  AccessQuestion,
  Holder,
  HolderPage,
  ItemUser,
  Side,
  SubjectAccess,
  SubjectKind,
  SubjectRef,
} from '../../explorer/schema.ts';
import { request } from '../api/request.ts';
import { pathOf } from '../organizations/organizations.ts';
import type { Family } from './access-search.ts';

/** The last part of the path of each kind of subject. */
const PATHS: Readonly<Record<SubjectKind, string>> = {
  ...{ member: 'members', key: 'keys', organization_key: 'keys', connection: 'connections' },
  ...{ client: 'connections', role: 'roles', team: 'teams' },
};

/** What a subject may do and see. */
export const accessQuery = (organization_id: string, { kind, id }: SubjectRef) =>
  queryOptions({
    queryKey: ['access', organization_id, kind, id],
    queryFn: ({ signal }) =>
      request<SubjectAccess>(pathOf(organization_id, `/${PATHS[kind]}/${id}/access`), { signal }),
    staleTime: 15_000,
  });

/** Entries of a page: rows are cheap, because only those in view are drawn. */
const LIMIT = '200';

/** What is asked about: a permission, or an item. */
export type Power =
  | { permission: string; team_id?: string }
  | { item: { family: Family; id: string } };

/** Who holds a permission, or can use an item, and the clients that could after an authorization. */
type WhoCan = Omit<HolderPage, 'data'> & { data: (Holder | ItemUser)[] };

/** Who holds a permission, or can use an item: by kind. */
export const holdersQuery = (organization_id: string, power: Power) =>
  infiniteQueryOptions({
    queryKey: ['access', organization_id, 'holders', power],
    queryFn({ signal, pageParam }) {
      const path =
        'permission' in power
          ? `permissions/${power.permission}`
          : `items/${power.item.family}/${power.item.id}`;
      const query = new URLSearchParams({ limit: LIMIT });
      if (pageParam !== null) query.set('cursor', pageParam);
      return request<WhoCan>(`${pathOf(organization_id, '/access')}/${path}?${query}`, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: 15_000,
  });

/** Every step that decides whether a subject has a permission, or may use an item. */
export const explanationQuery = (organization_id: string, question: AccessQuestion) =>
  queryOptions({
    queryKey: ['access', organization_id, 'explain', question],
    queryFn: ({ signal }) =>
      request<AccessExplanation>(pathOf(organization_id, '/access/explain'), {
        body: question,
        signal,
      }),
  });

/** What only one of two subjects may do or, of two reviews, what only one of them has. */
export const diffQuery = (organization_id: string, left: Side, right: Side) =>
  queryOptions({
    queryKey: ['access', organization_id, 'diff', left, right],
    queryFn: ({ signal }) =>
      request<AccessDiff>(pathOf(organization_id, '/access/diff'), {
        body: { left, right },
        signal,
      }),
  });
