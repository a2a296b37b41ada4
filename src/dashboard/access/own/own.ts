import { queryOptions } from '@tanstack/react-query';
import type { SubjectAccess } from '../../../explorer/schema.ts';
import { isId } from '../../api/ids.ts';
import { request } from '../../api/request.ts';

export const OWN_KINDS = ['key', 'connection'] as const;
export type OwnKind = (typeof OWN_KINDS)[number];

/** The credential that is shown; kept in the address. */
export interface OwnSearch {
  kind?: OwnKind;
  subject?: string;
}

export function ownSearchOf({ kind, subject }: Record<string, unknown>): OwnSearch {
  const known = OWN_KINDS.find((one) => one === kind);
  return {
    ...(known === undefined ? {} : { kind: known }),
    ...(isId(subject) ? { subject } : {}),
  };
}

const PATHS = { key: 'keys', connection: 'connections' } as const;

/** What a person's own credential may do and see, wherever it works. */
export const ownAccessQuery = (kind: OwnKind, id: string) =>
  queryOptions({
    queryKey: ['own-access', kind, id],
    queryFn: ({ signal }) =>
      request<SubjectAccess>(`/api/me/access/${PATHS[kind]}/${id}`, { signal }),
    staleTime: 15_000,
  });
