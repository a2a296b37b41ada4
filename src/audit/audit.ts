import type { Queryable, Database } from '../platform/postgres/database.ts';
import { tooManyRows } from '../caller/table.ts';
import { isUuid, newId } from '../platform/ids.ts';
import { invalidCursor } from '../platform/http/pages.ts';
import type { Page } from '../platform/http/pages.ts';
import { invalidCredential, unavailable } from '../platform/errors/refusal.ts';
import { MAX_FILE_ENTRIES } from './schema.ts';
import type { AuditQuery, AuditRecord, OrganizationAuditRecord } from './schema.ts';
import {
  countEvents,
  findPosition,
  insertEvents,
  listEvents,
  listKeyNames,
  listMemberAddresses,
  listOwnedNames,
  lockLiveSession,
  sweepEvents,
} from './store.ts';
import { parsePosition } from './selection.ts';
import type { EventFilter, EventPosition, History } from './selection.ts';
import type { AuditEntry, EventPage, EventRow } from './store.ts';

export type { AuditEntry } from './store.ts';

// Bytes of details in a page: those of a key's policies can take hundreds of kilobytes. A file waits
// with a page in memory until its reader takes it.
const MAX_DETAILS = 4_000_000;
const MAX_DETAILS_OF_FILE = 500_000;

export function createAudit({ pool }: Pick<Database, 'pool'>) {
  async function pageOf(history: History, query: AuditQuery): Promise<Page<EventRow>> {
    const { cursor = null } = query;
    const after = cursor === null ? null : await requirePosition(history, cursor);
    return readPage(pool, history, { ...query, after });
  }

  /** Throws 400 unless a cursor, which is signed for this list, is one of this release or the last. */
  async function requirePosition(history: History, cursor: string): Promise<EventPosition> {
    // A gateway of the release before sends the id alone.
    const text = isUuid(cursor) ? await findPosition(pool, history, cursor) : cursor;
    const position = text === null ? null : parsePosition(text);
    if (position === null) throw invalidCursor();
    return position;
  }

  /** Writes the entries of one change, all of which have its actor, likewise. */
  const recordChange = async (transaction: Queryable, entries: readonly AuditEntry[]) => {
    if (entries[0] === undefined) return;
    // The lock lasts until the commit, so that one is enough for all entries.
    await requireLiveSession(transaction, entries[0]);
    try {
      await insertEvents(
        transaction,
        entries.map((entry) => ({ ...entry, id: newId() })),
      );
    } catch (error) {
      throw unavailable('the audit log cannot be written', error);
    }
  };

  return {
    /**
     * Writes an entry in the change's own transaction; if that fails, the change fails with 503.
     * Throws 401 for a change by a session that has ended since the request was authenticated: once
     * a session has ended, nothing more is saved in it.
     */
    record: (transaction: Queryable, entry: AuditEntry) => recordChange(transaction, [entry]),
    recordChange,
    /** Writes entries with their own times: for data that is not the product of requests. */
    recordPast: (entries: readonly (AuditEntry & { at: Date })[]) =>
      insertEvents(
        pool,
        entries.map((entry) => ({ ...entry, id: newId() })),
      ),
    /** Lists the entries of one account, newest first. */
    async list(account_id: string, query: AuditQuery): Promise<Page<AuditRecord>> {
      const page = await pageOf({ account_id }, query);
      return { ...page, data: await recordsOf(pool, account_id, page.data) };
    },
    /** Lists the changes in one organization, newest first. */
    async listOfOrganization(
      organization_id: string,
      query: AuditQuery,
    ): Promise<Page<OrganizationAuditRecord>> {
      const page = await pageOf({ organization_id }, query);
      return { ...page, data: await inOrganization(pool, organization_id, page.data) };
    },
    /**
     * Yields all entries of one account that the query selects, newest first, in pages. Throws 422
     * before the first page if there are more than `MAX_FILE_ENTRIES`.
     */
    async *entries(account_id: string, query: EventFilter): AsyncGenerator<readonly AuditRecord[]> {
      for await (const rows of eachOfFile(pool, { account_id }, query))
        yield await recordsOf(pool, account_id, rows);
    },
    /** Yields the changes in one organization likewise. */
    async *entriesOfOrganization(
      organization_id: string,
      query: EventFilter,
    ): AsyncGenerator<readonly OrganizationAuditRecord[]> {
      for await (const rows of eachOfFile(pool, { organization_id }, query))
        yield await inOrganization(pool, organization_id, rows);
    },
    /** Yields the newest `max` entries for the account export. */
    async *exportOf(db: Queryable, account_id: string, max: number): AsyncGenerator<AuditRecord> {
      for await (const rows of eachPage(db, { account_id }, { max }))
        yield* await recordsOf(db, account_id, rows);
    },
    /** Deletes refused attempts older than 90 days; completed actions are kept permanently. */
    sweep: sweepEvents,
  };
}
export type Audit = ReturnType<typeof createAudit>;

/** Reads a page; one whose details are long has fewer events than its limit, and a next page. */
async function readPage(
  db: Queryable,
  history: History,
  { limit, ...query }: EventFilter & Pick<EventPage, 'limit' | 'after'>,
  max_bytes = MAX_DETAILS,
): Promise<Page<EventRow>> {
  // One more row shows that there is a next page.
  const range = { limit: limit + 1, max_bytes };
  const rows = await listEvents(db, history, { ...query, ...range });
  const page = rows.slice(0, limit);
  const isLast = (rows[0]?.found ?? 0) === page.length;
  return {
    data: page.map(({ found: _found, position: _position, ...row }) => row),
    next_cursor: isLast ? null : page.at(-1)!.position,
  };
}

const ROWS_OF_PAGE = 100;

/**
 * Yields up to `max` events, newest first; reads a page once all earlier ones are consumed. Returns
 * whether these were all.
 */
async function* eachPage(
  db: Queryable,
  history: History,
  { max, ...filter }: EventFilter & { max: number },
): AsyncGenerator<readonly EventRow[], boolean> {
  let after: EventPosition | null = null;
  for (let left = max; left > 0;) {
    const limit = Math.min(ROWS_OF_PAGE, left);
    const query = { ...filter, limit, after };
    const page = await readPage(db, history, query, MAX_DETAILS_OF_FILE);
    const { data, next_cursor }: Page<EventRow> = page;
    yield data;
    if (next_cursor === null) return true;
    after = parsePosition(next_cursor);
    left -= data.length;
  }
  return false;
}

/**
 * Yields all events for a file; throws 422 if they are too many. Some may have been added since they
 * were counted: throws then too, so that the file is not taken for a complete one.
 */
async function* eachOfFile(db: Queryable, history: History, filter: EventFilter) {
  const count = await countEvents(db, history, filter, MAX_FILE_ENTRIES + 1);
  if (count > MAX_FILE_ENTRIES) throw tooManyRows(MAX_FILE_ENTRIES);
  const isComplete = yield* eachPage(db, history, { ...filter, max: MAX_FILE_ENTRIES });
  if (!isComplete) throw tooManyRows(MAX_FILE_ENTRIES);
}

/** Throws 401 if the session that a change was made in has ended; attempts are recorded anyway. */
async function requireLiveSession(
  transaction: Queryable,
  { actor: { kind, credential_id }, outcome, deletes_session }: AuditEntry,
): Promise<void> {
  if (kind !== 'user' || credential_id === null) return;
  if (outcome === 'refused' || deletes_session === true) return;
  if (!(await lockLiveSession(transaction, credential_id)))
    throw invalidCredential('the session ended during the request');
}

/** Converts rows to API records, adding the names of the account's own keys. */
async function recordsOf(
  db: Queryable,
  account_id: string,
  rows: readonly EventRow[],
): Promise<AuditRecord[]> {
  const ids = rows.flatMap((row) => [row.credential_id, ...row.units.map(({ id }) => id)]);
  const keys = ids.filter((id) => id !== null);
  const names = await listKeyNames(db, account_id, [...new Set(keys)]);
  return rows.map((row) => recordOf(row, names));
}

/**
 * Converts rows to API records, adding the addresses of actors who are or were members, and the names
 * of what the organization owns. People that were acted on have none: their entries hold no personal
 * data.
 */
async function inOrganization(
  db: Queryable,
  organization_id: string,
  rows: readonly EventRow[],
): Promise<OrganizationAuditRecord[]> {
  const actors = rows.flatMap((row) => (row.actor_kind === 'user' ? (row.actor_id ?? []) : []));
  const owned = rows.flatMap((row) => [row.credential_id ?? [], row.units.map(({ id }) => id)]);
  const emails = await listMemberAddresses(db, organization_id, [...new Set(actors)]);
  const names = await listOwnedNames(db, organization_id, [...new Set(owned.flat())]);
  return rows.map((row) => {
    const { actor, ...record } = recordOf(row, names);
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
