import type { SessionPrincipal } from '../caller/principal.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import type { Page } from '../platform/http/pages.ts';
import { callPages } from './call-files.ts';
import type { KeyCall, KeyCallQuery } from './schema.ts';
import { searchCalls } from './search.ts';
import type { CallRow } from './store.ts';

export interface KeyCallsDependencies {
  /** Returns where a key of the caller runs; throws 404 unless the caller has it. */
  requireKey(caller: SessionPrincipal, id: string): Promise<{ runs_in: string | null }>;
  /** Returns the teams that a member can use, or null for all; null for someone who is no member. */
  memberTeams(member: {
    organization_id: string;
    account_id: string;
  }): Promise<{ team_ids: readonly string[] | null } | null>;
}

/**
 * Creates the call history of a person's key. An organization pays for the calls of a key that runs
 * there, and may keep its items from the person since.
 */
export function createKeyCalls({
  pool,
  requireKey,
  memberTeams,
}: KeyCallsDependencies & { pool: Queryable }) {
  /** Returns the teams whose items are named; null for all items, undefined for none. */
  async function teamsNamedTo(
    { person: account_id }: SessionPrincipal,
    organization_id: string | null,
  ): Promise<ReadonlySet<string> | null | undefined> {
    if (organization_id === null) return null;
    const member = await memberTeams({ organization_id, account_id });
    return member === null ? undefined : member.team_ids && new Set(member.team_ids);
  }

  async function keyCalls(
    caller: SessionPrincipal,
    id: string,
    query: KeyCallQuery,
  ): Promise<Page<KeyCall>> {
    const { runs_in } = await requireKey(caller, id);
    const inside = await teamsNamedTo(caller, runs_in);
    // Whether a call matches would name its item.
    if (inside === undefined && query.item !== undefined) return { data: [], next_cursor: null };
    const page = await searchCalls(pool, { kind: 'key', id }, { ...query, inside });
    return { ...page, data: page.data.map((row) => recordOf(row, inside !== undefined)) };
  }

  return {
    keyCalls,
    async *keyCallFile(caller: SessionPrincipal, id: string, query: KeyCallQuery) {
      await requireKey(caller, id);
      yield* callPages(pool, { kind: 'key', id }, query, (page) =>
        keyCalls(caller, id, { ...query, ...page }),
      );
    },
  };
}

function recordOf(row: CallRow, isNamed: boolean): KeyCall {
  const { id, at, kind, outcome, layer, duration_ms } = row;
  return {
    ...{ id, at, kind, outcome, layer, duration_ms },
    item: isNamed ? { id: row.item_id, name: row.item_name } : { id: null, name: null },
    arguments: row.arguments,
  };
}
