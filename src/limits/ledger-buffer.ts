import type { Owner } from '../caller/caller.ts';
import type { LedgerEnd, LedgerRow } from './store.ts';

type OwnerRef = Pick<Owner, 'kind' | 'id'>;
type OwnersMonth = Pick<LedgerRow, 'owner_kind' | 'owner_id' | 'month'>;

/** Rows PostgreSQL does not have yet, and ends of calls whose rows it has. */
export interface LedgerBuffer {
  size(): number;
  isFull(): boolean;
  /** A row of a call that has begun. */
  open(row: LedgerRow): void;
  /** Ends the call in its row, where that still waits here; false: it does not. */
  end(call_id: string, end: LedgerEnd): boolean;
  /** A row of a call that has ended and whose row is not here, or may be in PostgreSQL. */
  close(row: LedgerRow): void;
  /** Counted calls of this owner among the rows; the month by its first day, as rows have it. */
  counted(owner: OwnerRef, month: string): number;
  /** The oldest rows; from now on they may be in PostgreSQL, so their ends are sent apart. */
  nextRows(count: number): LedgerRow[];
  hasRows(): boolean;
  drop(rows: readonly LedgerRow[]): void;
  nextEnds(count: number): LedgerRow[];
  dropEnds(count: number): void;
}

/** A row and what it is counted in: every call comes by here, so nothing is looked up twice. */
interface Waiting {
  row: LedgerRow;
  isSent: boolean;
  count: { calls: number } | null;
}

export function createLedgerBuffer(capacity: number): LedgerBuffer {
  const rows = new Map<string, Waiting>();
  const ends: LedgerRow[] = [];
  const counts = new Map<string, { calls: number }>();

  function countOf(row: LedgerRow): { calls: number } | null {
    if (!row.counted) return null;
    const key = keyOf(row);
    let count = counts.get(key);
    if (count === undefined) counts.set(key, (count = { calls: 0 }));
    return count;
  }
  function add(row: LedgerRow): void {
    const count = countOf(row);
    if (count !== null) count.calls += 1;
    rows.set(row.call_id, { row, isSent: false, count });
  }
  function remove(row: LedgerRow): void {
    const count = rows.get(row.call_id)?.count ?? null;
    rows.delete(row.call_id);
    if (count === null) return;
    count.calls -= 1;
    if (count.calls === 0) counts.delete(keyOf(row));
  }

  return {
    size: () => rows.size + ends.length,
    isFull: () => rows.size + ends.length >= capacity,
    counted: ({ kind, id }, month) =>
      counts.get(keyOf({ owner_kind: kind, owner_id: id, month }))?.calls ?? 0,
    open(row) {
      if (!rows.has(row.call_id)) add(row);
    },
    end(call_id, end) {
      const waiting = rows.get(call_id);
      if (waiting === undefined || waiting.isSent) return false;
      Object.assign(waiting.row, end);
      return true;
    },
    close(row) {
      if (row.counted) ends.push(row);
      // What costs nothing may be lost rather than grow without bound.
      else if (rows.size < capacity) add(row);
    },
    hasRows: () => rows.size > 0,
    nextRows(count) {
      const next = rows.values().take(count).toArray();
      for (const waiting of next) waiting.isSent = true;
      return next.map(({ row }) => row);
    },
    drop: (gone) => gone.forEach(remove),
    nextEnds: (count) => ends.slice(0, count),
    dropEnds(count) {
      ends.splice(0, count);
    },
  };
}

const keyOf = ({ owner_kind, owner_id, month }: OwnersMonth) =>
  `${owner_kind} ${owner_id} ${month}`;
