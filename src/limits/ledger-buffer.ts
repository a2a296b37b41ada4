import type { Owner } from '../caller/caller.ts';
import { ownerTag } from './admission.ts';
import type { LedgerRow } from './store.ts';

type OwnerRef = Pick<Owner, 'kind' | 'id'>;

/** Rows PostgreSQL does not have yet, and ends of calls whose rows it has. */
export interface LedgerBuffer {
  size(): number;
  isFull(): boolean;
  /** A row of a call that has begun. */
  open(row: LedgerRow): void;
  /** A row of a call that has ended, opened before or not. */
  close(row: LedgerRow): void;
  /** Counted calls of this owner and month among the rows. */
  counted(owner: OwnerRef, month: string): number;
  /** The oldest rows; from now on they may be in PostgreSQL, so their ends are sent apart. */
  nextRows(count: number): LedgerRow[];
  hasRows(): boolean;
  drop(rows: readonly LedgerRow[]): void;
  nextEnds(count: number): LedgerRow[];
  dropEnds(count: number): void;
}

export function createLedgerBuffer(capacity: number): LedgerBuffer {
  const rows = new Map<string, LedgerRow>();
  const sent = new Set<string>();
  const ends: LedgerRow[] = [];
  const counts = new Map<string, number>();

  const shift = ({ owner, month, counted }: LedgerRow, by: number) => {
    if (!counted) return;
    const count = (counts.get(monthKey(owner, month)) ?? 0) + by;
    if (count > 0) counts.set(monthKey(owner, month), count);
    else counts.delete(monthKey(owner, month));
  };
  const add = (row: LedgerRow) => {
    rows.set(row.call_id, row);
    shift(row, 1);
  };

  return {
    size: () => rows.size + ends.length,
    isFull: () => rows.size + ends.length >= capacity,
    counted: (owner, month) => counts.get(monthKey(owner, month)) ?? 0,
    open(row) {
      if (!rows.has(row.call_id)) add(row);
    },
    close(row) {
      // What costs nothing may be lost rather than grow without bound.
      if (!row.counted && rows.size < capacity) add(row);
      if (!row.counted) return;
      if (rows.has(row.call_id) && !sent.has(row.call_id)) rows.set(row.call_id, row);
      else ends.push(row);
    },
    hasRows: () => rows.size > 0,
    nextRows(count) {
      const next = rows.values().take(count).toArray();
      for (const row of next) sent.add(row.call_id);
      return next;
    },
    drop(gone) {
      for (const row of gone) {
        rows.delete(row.call_id);
        sent.delete(row.call_id);
        shift(row, -1);
      }
    },
    nextEnds: (count) => ends.slice(0, count),
    dropEnds(count) {
      ends.splice(0, count);
    },
  };
}

const monthKey = (owner: OwnerRef, month: string) => `${ownerTag(owner)}${month}`;
