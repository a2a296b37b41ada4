import type { QuotaOwner } from '../../caller/principal.ts';
import type { LedgerEnd, LedgerEntry, LedgerRow, WaitingCount } from './row.ts';

type OwnerRef = Pick<QuotaOwner, 'kind' | 'id'>;

/** Buffers rows that PostgreSQL does not have yet, and outcomes of calls whose rows it has. */
export function createLedgerBuffer(capacity: number) {
  const entries: LedgerEntry[] = [];
  const ends: LedgerRow[] = [];
  /** Keyed by owner, then month. */
  const counts = new Map<string, Map<string, WaitingCount>>();

  function countOf({ owner_id, month }: LedgerRow): WaitingCount {
    let months = counts.get(owner_id);
    if (months === undefined) counts.set(owner_id, (months = new Map()));
    let count = months.get(month);
    if (count === undefined) months.set(month, (count = { calls: 0 }));
    return count;
  }
  /** Adds the row of a call that has begun. */
  function add(row: LedgerRow): LedgerEntry {
    const count = row.counted ? countOf(row) : null;
    if (count !== null) count.calls += 1;
    const entry = { row, count, isSent: false };
    entries.push(entry);
    return entry;
  }
  function remove({ row, count }: LedgerEntry): void {
    if (count === null) return;
    count.calls -= 1;
    if (count.calls > 0) return;
    const months = counts.get(row.owner_id);
    months?.delete(row.month);
    if (months?.size === 0) counts.delete(row.owner_id);
  }

  return {
    size: () => entries.length + ends.length,
    isFull: () => entries.length + ends.length >= capacity,
    /** Returns the number of the owner's counted calls in a month, given as its first day. */
    countedCalls: ({ id }: OwnerRef, month: string) => counts.get(id)?.get(month)?.calls ?? 0,
    open: add,
    /** Sets the outcome in the call's row if it has not been sent yet; otherwise returns false. */
    end(entry: LedgerEntry, { outcome, layer, duration_ms }: LedgerEnd) {
      if (entry.isSent) return false;
      entry.row.outcome = outcome;
      entry.row.layer = layer;
      entry.row.duration_ms = duration_ms;
      return true;
    },
    /** Adds the row of an ended call, if it has no row here or its row may be in PostgreSQL. */
    close(row: LedgerRow) {
      if (row.counted) ends.push(row);
      // Rows that cost no quota are dropped at capacity rather than grow without limit.
      else if (entries.length < capacity) add(row);
    },
    hasRows: () => entries.length > 0,
    /** Returns the oldest rows; from now on they may be in PostgreSQL, and `end` ignores them. */
    nextRows(count: number) {
      const next = entries.slice(0, count);
      for (const entry of next) entry.isSent = true;
      return next.map(({ row }) => row);
    },
    /** Drops the oldest rows: they are in PostgreSQL, or were refused for good. */
    drop: (count: number) => entries.splice(0, count).forEach(remove),
    nextEnds: (count: number) => ends.slice(0, count),
    dropEnds(count: number) {
      ends.splice(0, count);
    },
  };
}
export type LedgerBuffer = ReturnType<typeof createLedgerBuffer>;
