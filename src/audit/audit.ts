import type { Connection, Database } from '../platform/postgres/database.ts';
import { newId } from '../platform/ids.ts';
import { cutPage, inPages } from '../platform/http/pages.ts';
import type { Page } from '../platform/http/pages.ts';
import { malformed, unavailable } from '../platform/errors/refusal.ts';
import type { AuditQuery, AuditRecord } from './schema.ts';
import { hasEvent, insertEvent, listEvents, listKeyNames, sweepEvents } from './store.ts';
import type { AuditEntry, EventRow } from './store.ts';

export interface Audit {
  /** Writes in the change's own transaction; if this fails, the change fails with 503. */
  record(transaction: Connection, entry: AuditEntry): Promise<void>;
  /** Lists one account's history, newest first. */
  list(accountId: string, query: AuditQuery): Promise<Page<AuditRecord>>;
  /** Yields the newest `most` events for the account export. */
  exportOf(connection: Connection, accountId: string, most: number): AsyncIterable<AuditRecord>;
  /** Deletes refused attempts older than 90 days; completed actions are kept permanently. */
  sweep(connection: Connection): Promise<void>;
}

const EXPORTED_EVENTS = 500;

export function createAudit({ pool }: Pick<Database, 'pool'>): Audit {
  return {
    async record(transaction, entry) {
      try {
        await insertEvent(transaction, newId(), entry);
      } catch (error) {
        throw unavailable('the audit log cannot be written', error);
      }
    },
    async list(accountId, query) {
      const { cursor = null } = query;
      if (cursor !== null && !(await hasEvent(pool, accountId, cursor)))
        throw malformed('invalid_cursor', 'The cursor does not belong to this list.');
      const rows = await listEvents(pool, accountId, { ...query, cursor, limit: query.limit + 1 });
      const page = cutPage(rows, query);
      return { ...page, data: await recordsOf(pool, accountId, page.data) };
    },
    exportOf: (connection, accountId, most) =>
      inPages(
        async ({ limit, after }) => {
          const page = { limit, cursor: after?.id ?? null };
          return recordsOf(connection, accountId, await listEvents(connection, accountId, page));
        },
        { rows: EXPORTED_EVENTS, max: most },
      ),
    sweep: sweepEvents,
  };
}

/** Converts rows to API records, adding the names of the account's own keys. */
async function recordsOf(
  connection: Connection,
  accountId: string,
  rows: readonly EventRow[],
): Promise<AuditRecord[]> {
  const ids = rows.flatMap((row) => [row.credential_id, ...row.units.map(({ id }) => id)]);
  const keys = ids.filter((id) => id !== null);
  const names = await listKeyNames(connection, accountId, [...new Set(keys)]);
  return rows.map((row) => recordOf(row, names));
}

function recordOf(row: EventRow, names: ReadonlyMap<string, string>): AuditRecord {
  const { actor_kind, actor_id, credential_id, units, ...fields } = row;
  const kind = actor_kind === 'user' || actor_kind === 'system' ? 'session' : actor_kind;
  const named = (id: string) => ({ id, ...(names.has(id) ? { name: names.get(id)! } : {}) });
  return {
    ...fields,
    actor: { kind: actor_kind, id: actor_id },
    credential: credential_id === null ? null : { kind, ...named(credential_id) },
    target: units.map(({ type, id }) => ({ type, ...named(id) })),
  };
}
