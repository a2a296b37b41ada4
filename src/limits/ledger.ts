import type { Owner } from '../caller/caller.ts';
import type { Clock } from '../platform/clock.ts';
import type { Connection } from '../platform/database.ts';
import { isUuid } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { isOutage } from '../platform/outage.ts';
import { unavailable } from '../platform/refusal.ts';
import { ownerTag } from './admission.ts';
import type { CallKind } from './admission.ts';
import type { MonthTotal } from './counters.ts';
import { finishCalls, insertCalls, readCalls, readThisMonth } from './store.ts';
import type { LedgerRow } from './store.ts';

type OwnerRef = Pick<Owner, 'kind' | 'id'>;

/** How a call ended. `month` is what its admission answered; null costs no quota. */
export interface UsageRecord {
  call_id: string;
  owner: OwnerRef;
  account_id: string;
  key_id: string | null;
  tool_id: string;
  tool_name: string;
  month: string | null;
  kind: CallKind;
  outcome: string;
  duration_ms: number;
}

export interface Ledger {
  /** Nothing more may be admitted until PostgreSQL has taken what waits. */
  isFull(): boolean;
  waiting(): number;
  /** An admitted call that costs quota: written within a second, while it may still run. */
  open(callId: string, owner: OwnerRef, month: string): void;
  record(record: UsageRecord): void;
  /** The ledger's total and our own calls it does not have yet. */
  used(owner: OwnerRef, month: string): Promise<number>;
  /** The same by the database's calendar; ask `unflushed` in the same turn it resolves in. */
  thisMonth(owner: OwnerRef): Promise<{ month: string; calls: number; seconds_left: number }>;
  unflushed(owner: OwnerRef, month: string): number;
  /** Writes what waits; never rejects: what could not be written goes on waiting. */
  flush(): Promise<void>;
}

export interface LedgerDependencies {
  pool: Connection;
  log: Log;
  clock: Clock;
  /** What PostgreSQL knows now of the months just written. */
  written(totals: readonly MonthTotal[]): void;
}

const CAPACITY = 10_000;
const BATCH = 1_000;

/**
 * Rows wait here at most a second and are sent until PostgreSQL has them; their ids make that
 * harmless. A total is only read while no flush of ours is under way, so that each of our calls
 * is either in it or among those we add to it.
 */
export function createLedger({ pool, log, clock, written }: LedgerDependencies): Ledger {
  const waiting = new Map<string, LedgerRow>();
  const sent = new Set<string>();
  const ended: LedgerRow[] = [];
  const unflushedCalls = new Map<string, number>();
  const readers = new Set<Promise<unknown>>();
  let flushing: Promise<void> | null = null;
  // The last flush may have been written although its reply was lost.
  let isInDoubt = false;

  const add = (row: LedgerRow) => {
    waiting.set(row.call_id, row);
    if (row.counted) shift(unflushedCalls, monthKey(row.owner, row.month), 1);
  };
  const remove = (row: LedgerRow) => {
    waiting.delete(row.call_id);
    sent.delete(row.call_id);
    if (row.counted) shift(unflushedCalls, monthKey(row.owner, row.month), -1);
  };

  async function write(batch: readonly LedgerRow[]): Promise<void> {
    for (const row of batch) sent.add(row.call_id);
    try {
      const totals = await insertCalls(pool, batch);
      for (const row of batch) remove(row);
      written(totals);
    } catch (error) {
      if (isOutage(error)) throw error;
      // One row PostgreSQL will never take must not hold up the others for ever.
      const [row, other] = batch;
      if (row && !other) return drop(row, error);
      const half = Math.ceil(batch.length / 2);
      await write(batch.slice(0, half));
      await write(batch.slice(half));
    }
  }
  function drop(row: LedgerRow, error: unknown) {
    remove(row);
    log.error({ err: error, call_id: row.call_id }, 'usage row refused by the database');
  }

  async function finish(batch: readonly LedgerRow[]): Promise<void> {
    try {
      await finishCalls(pool, batch);
    } catch (error) {
      if (isOutage(error)) throw error;
      log.error({ err: error }, 'ends of calls refused by the database');
    }
    ended.splice(0, batch.length);
  }

  async function writeAll(): Promise<void> {
    await Promise.allSettled(readers);
    try {
      while (waiting.size > 0) await write([...waiting.values()].slice(0, BATCH));
      while (ended.length > 0) await finish(ended.slice(0, BATCH));
      isInDoubt = false;
    } catch (error) {
      isInDoubt = true;
      log.warn({ err: error, waiting: waiting.size }, 'usage could not be written');
    }
  }
  function flush(): Promise<void> {
    flushing ??= writeAll().finally(() => (flushing = null));
    return flushing;
  }

  async function read<T>(query: () => Promise<T>): Promise<T> {
    if (isInDoubt) await flush();
    while (flushing) await flushing;
    if (isInDoubt) throw unavailable('usage is not known: the last flush is in doubt');
    const reading = query();
    readers.add(reading);
    try {
      return await reading;
    } finally {
      readers.delete(reading);
    }
  }

  const unflushed = (owner: OwnerRef, month: string) =>
    unflushedCalls.get(monthKey(owner, month)) ?? 0;
  return {
    isFull: () => waiting.size + ended.length >= CAPACITY,
    waiting: () => waiting.size + ended.length,
    unflushed,
    flush,
    open(call_id, owner, month) {
      if (waiting.has(call_id)) return;
      add({ ...UNKNOWN, call_id, month, owner: pick(owner), kind: 'tool_call', counted: true });
    },
    record(record) {
      const row = toRow(record, clock.now());
      if (!row.counted) {
        // What costs nothing may be lost rather than grow without bound.
        if (waiting.size < CAPACITY) add(row);
        return;
      }
      const opened = waiting.get(row.call_id);
      if (opened && !sent.has(row.call_id)) waiting.set(row.call_id, row);
      else ended.push(row);
    },
    used: (owner, month) =>
      read(async () => (await readCalls(pool, owner, month)) + unflushed(owner, month)),
    thisMonth: (owner) => read(() => readThisMonth(pool, owner)),
  };
}

const UNKNOWN = {
  account_id: null,
  key_id: null,
  tool_id: null,
  tool_name: null,
  outcome: null,
  duration_ms: null,
};

const MAX_TEXT = 200;
const MAX_DURATION_MS = 2 ** 31 - 1;

function toRow(record: UsageRecord, now: Date): LedgerRow {
  const uuid = (id: string | null) => (id !== null && isUuid(id) ? id : null);
  // PostgreSQL refuses NUL and lone surrogates, which would hold up the whole batch.
  const clean = (value: string) => value.replaceAll('\0', '').slice(0, MAX_TEXT).toWellFormed();
  return {
    call_id: record.call_id,
    month: record.month ?? now.toISOString().slice(0, 'YYYY-MM'.length),
    owner: pick(record.owner),
    kind: record.kind,
    counted: record.month !== null,
    account_id: uuid(record.account_id),
    key_id: uuid(record.key_id),
    tool_id: clean(record.tool_id),
    tool_name: clean(record.tool_name),
    outcome: clean(record.outcome),
    duration_ms: Math.min(Math.max(Math.round(record.duration_ms) || 0, 0), MAX_DURATION_MS),
  };
}

const pick = ({ kind, id }: OwnerRef): OwnerRef => ({ kind, id });
const monthKey = (owner: OwnerRef, month: string) => `${ownerTag(owner)}${month}`;

function shift(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
