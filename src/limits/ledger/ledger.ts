import type { QuotaOwner } from '../../caller/principal.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/observability/log.ts';
import { isOutage } from '../../platform/errors/outage.ts';
import { unavailable } from '../../platform/errors/refusal.ts';
import type { AdmissionRequest, AdmittedCall } from '../admission.ts';
import type { MonthTotal } from '../counters/counters.ts';
import { cutText } from './cut-text.ts';
import { createLedgerBuffer } from './buffer.ts';
import type { LedgerBuffer } from './buffer.ts';
import { createRefusalBound } from './refusal-bound.ts';
import type { CallKind, CallLayer, CallOutcome } from '../schema.ts';
import { finishCalls, insertCalls, readCalls, readThisMonth } from './store.ts';
import type { CallFacts, LedgerEnd, LedgerRow } from './row.ts';

type OwnerRef = Pick<QuotaOwner, 'kind' | 'id'>;

/** How a call ended. */
export interface UsageRecord {
  call_id: string;
  quota_owner: OwnerRef;
  facts: CallFacts;
  /** Null if it was refused. */
  admission: AdmittedCall | null;
  kind: CallKind;
  outcome: CallOutcome;
  layer: CallLayer;
  duration_ms: number;
}

/** A call that was made some time ago. */
export interface PastCall extends Omit<UsageRecord, 'call_id' | 'admission'> {
  at: Date;
}

export interface LedgerDependencies {
  pool: Queryable;
  log: Log;
  clock: Clock;
  /** Called with PostgreSQL's totals of the months just written. */
  onWritten(totals: readonly MonthTotal[]): void;
}

const MONTH_LENGTH = 'YYYY-MM'.length;
const CAPACITY = 10_000;
// Large, so that half a second of an owner's calls updates its month and day only once.
const BATCH = 4_000;

/**
 * Creates the ledger. Rows wait at most a second and are sent again until PostgreSQL has them;
 * their ids make duplicates harmless. Totals are read only while no flush of this process is under
 * way, so that each of its calls is either in the total or among those added to it.
 */
export function createLedger(dependencies: LedgerDependencies) {
  const { pool, log, clock, onWritten } = dependencies;
  const buffer = createLedgerBuffer(CAPACITY);
  const refusals = createRefusalBound();
  const readers = new Set<Promise<unknown>>();
  let flushing: Promise<void> | null = null;
  // Whether the last flush may have been committed although its reply was lost.
  let isInDoubt = false;

  async function writeAll(): Promise<void> {
    await Promise.allSettled(readers);
    try {
      await writeRows(buffer, dependencies);
      await writeEnds(buffer, dependencies);
      isInDoubt = false;
    } catch (error) {
      isInDoubt = true;
      log.warn(
        { err: error, waiting: buffer.size() },
        'usage rows could not be written to PostgreSQL; they stay buffered',
      );
    }
  }
  /** Writes the waiting rows; never rejects: rows that could not be written stay buffered. */
  function flush(): Promise<void> {
    flushing ??= writeAll().finally(() => {
      flushing = null;
    });
    return flushing;
  }
  async function awaitFlush(): Promise<void> {
    if (isInDoubt) await flush();
    for (let current = flushing; current; current = flushing) await current;
    if (isInDoubt)
      throw unavailable('usage is unknown: it is unclear whether the last flush was committed');
  }
  async function read<T>(query: () => Promise<T>): Promise<T> {
    await awaitFlush();
    const reading = query();
    readers.add(reading);
    try {
      return await reading;
    } finally {
      readers.delete(reading);
    }
  }

  const unflushed = (owner: OwnerRef, month: string) => buffer.countedCalls(owner, firstDay(month));

  return {
    /** Returns whether no call may be admitted until PostgreSQL has accepted the waiting rows. */
    isFull: buffer.isFull,
    waitingRows: buffer.size,
    unflushed,
    flush,
    /**
     * Adds an admitted call that costs quota; written within a second, even while it still runs.
     */
    open: (request: AdmissionRequest, month: string) =>
      buffer.open(rowOf(request, { month, counted: true })),
    record(record: UsageRecord) {
      if (record.outcome === 'refused' && !refusals.admits(record.quota_owner)) return;
      const end = endOf(record);
      const { month = null, entry } = record.admission ?? {};
      if (entry && buffer.end(entry, end)) return;
      const currentMonth = () => clock.now().toISOString().slice(0, MONTH_LENGTH);
      const row = rowOf(record, { month: month ?? currentMonth(), counted: month !== null });
      buffer.close(Object.assign(row, end));
    },
    /** Writes calls with their own times; those that were not refused count in their months. */
    async recordPast(calls: readonly PastCall[]) {
      onWritten(await insertCalls(pool, calls.map(pastRowOf)));
    },
    /** Returns the ledger's total plus this process's calls that are not in it yet. */
    countCalls: (owner: OwnerRef, month: string) =>
      read(async () => (await readCalls(pool, owner, month)) + unflushed(owner, month)),
    /**
     * Returns this month's total by the database's clock; add `unflushed` before any other await.
     */
    thisMonth: (owner: OwnerRef): Promise<{ month: string; calls: number; seconds_left: number }> =>
      read(() => readThisMonth(pool, owner)),
  };
}

async function writeRows(buffer: LedgerBuffer, dependencies: LedgerDependencies): Promise<void> {
  while (buffer.hasRows()) await writeBatch(buffer, dependencies, buffer.nextRows(BATCH));
}

async function writeBatch(
  buffer: LedgerBuffer,
  dependencies: LedgerDependencies,
  batch: readonly LedgerRow[],
): Promise<void> {
  const { pool, log, onWritten } = dependencies;
  let totals: readonly MonthTotal[];
  try {
    totals = await insertCalls(pool, batch);
  } catch (error) {
    if (isOutage(error)) throw error;
    const [row, other] = batch;
    if (row && !other) {
      buffer.drop(1);
      log.error(
        { err: error, call_id: row.call_id },
        'usage row rejected by PostgreSQL and dropped',
      );
      return;
    }
    // One row that PostgreSQL never accepts must not block the others.
    const middle = Math.ceil(batch.length / 2);
    await writeBatch(buffer, dependencies, batch.slice(0, middle));
    return writeBatch(buffer, dependencies, batch.slice(middle));
  }
  buffer.drop(batch.length);
  onWritten(totals);
}

async function writeEnds(buffer: LedgerBuffer, { pool, log }: LedgerDependencies): Promise<void> {
  for (;;) {
    const batch = buffer.nextEnds(BATCH);
    if (batch.length === 0) return;
    try {
      await finishCalls(pool, batch);
    } catch (error) {
      if (isOutage(error)) throw error;
      log.error({ err: error }, 'outcomes of calls rejected by PostgreSQL and dropped');
    }
    buffer.dropEnds(batch.length);
  }
}

const MAX_NAME_BYTES = 800;
const MAX_ARGUMENTS_BYTES = 4_096;
const MAX_DURATION_MS = 2 ** 31 - 1;

/** Builds a row. Lists every field, since spreading objects would cost more than all the rest. */
function rowOf(
  {
    call_id,
    quota_owner,
    kind,
    facts,
  }: Pick<UsageRecord, 'call_id' | 'quota_owner' | 'kind' | 'facts'>,
  { month, counted }: { month: string; counted: boolean },
): LedgerRow {
  return {
    call_id,
    month: firstDay(month),
    owner_kind: quota_owner.kind,
    owner_id: quota_owner.id,
    kind,
    counted,
    account_id: facts.account_id,
    key_id: facts.key_id !== null && isUuid(facts.key_id) ? facts.key_id : null,
    credential_kind: facts.credential_kind,
    item_id: cut(facts.item_id, MAX_NAME_BYTES),
    item_name: cut(facts.item_name, MAX_NAME_BYTES),
    space_id: facts.space_id,
    arguments: cut(facts.arguments, MAX_ARGUMENTS_BYTES),
    outcome: null,
    layer: null,
    duration_ms: null,
  };
}

function pastRowOf(call: PastCall): LedgerRow {
  const counted = call.kind === 'tool_call' && call.outcome !== 'refused';
  const at = call.at.toISOString();
  const row = rowOf({ ...call, call_id: newId() }, { month: at.slice(0, MONTH_LENGTH), counted });
  return { ...row, ...endOf(call), at };
}

// Cached, since every call needs it: the same string object keeps its hash for map lookups.
let cachedMonth = { month: '', firstDay: '' };

function firstDay(month: string): string {
  if (month !== cachedMonth.month) cachedMonth = { month, firstDay: `${month}-01` };
  return cachedMonth.firstDay;
}

const cut = (text: string | null, bytes: number) => (text === null ? null : cutText(text, bytes));

const endOf = ({ outcome, layer, duration_ms }: Pick<UsageRecord, keyof LedgerEnd>): LedgerEnd => ({
  outcome,
  layer,
  duration_ms: Math.min(Math.max(Math.round(duration_ms) || 0, 0), MAX_DURATION_MS),
});
