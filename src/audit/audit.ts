import type { Connection, Database } from '../platform/postgres/database.ts';
import { newId } from '../platform/ids.ts';
import { invalidCursor, iteratePages, toPage } from '../platform/http/pages.ts';
import type { Page } from '../platform/http/pages.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import type { AuditQuery, AuditRecord, OrganizationAuditRecord } from './schema.ts';
import {
  hasEvent,
  insertEvent,
  listEvents,
  listKeyNames,
  listMemberAddresses,
  sweepEvents,
} from './store.ts';
import type { AuditEntry, EventRow, History } from './store.ts';

export interface Audit {
  /** Writes an entry in the change's own transaction; if that fails, the change fails with 503. */
  record(transaction: Connection, entry: AuditEntry): Promise<void>;
  /** Lists the entries of one account, newest first. */
  list(account_id: string, query: AuditQuery): Promise<Page<AuditRecord>>;
  /** Lists the changes in one organization, newest first. */
  listOfOrganization(
    organization_id: string,
    query: AuditQuery,
  ): Promise<Page<OrganizationAuditRecord>>;
  /** Yields the newest `max` entries for the account export. */
  exportOf(connection: Connection, account_id: string, max: number): AsyncIterable<AuditRecord>;
  /** Deletes refused attempts older than 90 days; completed actions are kept permanently. */
  sweep(connection: Connection): Promise<void>;
}

const EXPORTED_EVENTS = 500;

export function createAudit({ pool }: Pick<Database, 'pool'>): Audit {
  async function pageOf(history: History, query: AuditQuery): Promise<Page<EventRow>> {
    const { cursor = null } = query;
    if (cursor !== null && !(await hasEvent(pool, history, cursor))) throw invalidCursor();
    const rows = await listEvents(pool, history, { ...query, cursor, limit: query.limit + 1 });
    return toPage(rows, query);
  }

  return {
    async record(transaction, entry) {
      try {
        await insertEvent(transaction, newId(), entry);
      } catch (error) {
        throw unavailable('the audit log cannot be written', error);
      }
    },
    async list(account_id, query) {
      const page = await pageOf({ account_id }, query);
      return { ...page, data: await recordsOf(pool, account_id, page.data) };
    },
    async listOfOrganization(organization_id, query) {
      const page = await pageOf({ organization_id }, query);
      return { ...page, data: await withAddresses(pool, organization_id, page.data) };
    },
    exportOf: (connection, account_id, most) =>
      iteratePages(
        async ({ limit, after }) => {
          const page = { limit, cursor: after?.id ?? null };
          const rows = await listEvents(connection, { account_id }, page);
          return recordsOf(connection, account_id, rows);
        },
        { rows: EXPORTED_EVENTS, max: most },
      ),
    sweep: sweepEvents,
  };
}

/** Converts rows to API records, adding the names of the account's own keys. */
async function recordsOf(
  connection: Connection,
  account_id: string,
  rows: readonly EventRow[],
): Promise<AuditRecord[]> {
  const ids = rows.flatMap((row) => [row.credential_id, ...row.units.map(({ id }) => id)]);
  const keys = ids.filter((id) => id !== null);
  const names = await listKeyNames(connection, account_id, [...new Set(keys)]);
  return rows.map((row) => recordOf(row, names));
}

/** Converts rows to API records, adding the addresses of people who are or were members. */
async function withAddresses(
  connection: Connection,
  organization_id: string,
  rows: readonly EventRow[],
): Promise<OrganizationAuditRecord[]> {
  const ids = rows.flatMap((row) => (row.actor_kind === 'user' ? (row.actor_id ?? []) : []));
  const emails = await listMemberAddresses(connection, organization_id, [...new Set(ids)]);
  return rows.map((row) => {
    const { actor, ...record } = recordOf(row, new Map());
    return { ...record, actor: { ...actor, email: emails.get(actor.id ?? '') ?? null } };
  });
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
