import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { listSubjects } from '../subjects/store.ts';
import type { SubjectRow } from '../subjects/store.ts';

/** The rows of all subjects, with the states of the scopes that decide about them. */
export interface Reading {
  /** Changes with the authority of the whole organization: roles, teams, policies. */
  authority: string;
  /** Changes with the items of the organization and of its teams. */
  content: string;
  rows: readonly SubjectRow[];
  /** Changes with what decides about one subject, by `nameOf`. */
  states: ReadonlyMap<string, string>;
  /** People with items in their own space in the organization. */
  withItems: ReadonlySet<string>;
}

/** What is different in a later reading. */
export interface Moved {
  authority: boolean;
  content: boolean;
  /** Subjects by `nameOf`: changed, added or removed. */
  subjects: ReadonlySet<string>;
}

/** A member and a credential could have the same id. */
export const nameOf = ({ kind, id }: Pick<SubjectRow, 'kind' | 'id'>): string => `${kind} ${id}`;

const OrganizationState = z.object({ authority: z.string(), content: z.string() });
const ScopeStateRow = z.object({ id: z.string(), state: z.string(), has_items: z.boolean() });

export type ScopeStates = Pick<Reading, 'authority' | 'content' | 'withItems'> & {
  of: ReadonlyMap<string, string>;
};

/** Reads the states of scopes; whatever is read later and changed since shows in the next reading. */
export async function readStates(db: Queryable, organization_id: string): Promise<ScopeStates> {
  const { authority, content } = await db.one(sql.type(OrganizationState)`
    SELECT string_agg(s.nonce::text, ' ' ORDER BY s.kind) AS authority,
      string_agg(s.content::text, ' ' ORDER BY s.kind) AS content
    FROM authz_scope s
    WHERE (s.kind = 'organization' AND s.id = ${organization_id})
      OR (s.kind = 'platform' AND s.id = '00000000-0000-0000-0000-000000000000')`);
  const states = await db.any(sql.type(ScopeStateRow)`
    SELECT m.account_id AS id, concat_ws(' ', own.nonce, own.content, whole.nonce) AS state,
      EXISTS (SELECT FROM item i WHERE i.space_id = m.id) AS has_items
    FROM membership m
    JOIN authz_scope own ON own.kind = 'membership' AND own.id = m.id
    JOIN authz_scope whole ON whole.kind = 'account' AND whole.id = m.account_id
    WHERE m.organization_id = ${organization_id}
    UNION ALL
    SELECT s.id, s.nonce::text, false FROM authz_scope s
    WHERE s.kind = 'service' AND s.organization_id = ${organization_id}`);
  return {
    ...{ authority, content },
    of: new Map(states.map(({ id, state }) => [id, state])),
    withItems: new Set(states.flatMap(({ id, has_items }) => (has_items ? id : []))),
  };
}

/** Reads the subjects of an organization, after the states of its scopes. */
export async function readSubjects(
  db: Queryable,
  organization_id: string,
  { of, ...states }: ScopeStates,
): Promise<Reading> {
  const rows = await listSubjects(db, organization_id);
  return {
    ...{ ...states, rows },
    states: new Map(rows.map((row) => [nameOf(row), stateOf(row, of)])),
  };
}

function stateOf(row: SubjectRow, of: ScopeStates['of']): string {
  const { account_id, id, is_member, follows, bound, seats, home, reach } = row;
  return JSON.stringify([
    of.get(account_id ?? id),
    ...[is_member, follows, bound, seats, home, reach],
  ]);
}

/** Returns what has changed between two readings. */
export function movedBetween(before: Reading, after: Reading): Moved {
  const names = new Set(before.states.keys()).union(new Set(after.states.keys()));
  return {
    authority: before.authority !== after.authority,
    content: before.content !== after.content,
    subjects: new Set(
      [...names].filter((name) => before.states.get(name) !== after.states.get(name)),
    ),
  };
}
