import type { DecisionRow } from './row.ts';

/** Numbers of decisions that were dropped because PostgreSQL did not take them in time. */
export interface Dropped {
  allowed: number;
  denied: number;
}

/**
 * Buffers rows that PostgreSQL does not have yet. At capacity, rows of allowed decisions give way:
 * a denied one is dropped only if all others are denied too.
 */
export function createDecisionBuffer(capacity: number) {
  const waiting = { denied: [] as DecisionRow[], allowed: [] as DecisionRow[] };
  const dropped: Dropped = { allowed: 0, denied: 0 };
  let sent = 0;
  const size = () => waiting.denied.length + waiting.allowed.length + sent;

  function makeRoom(row: DecisionRow): boolean {
    if (size() < capacity) return true;
    const oldest = row.reason === null ? undefined : waiting.allowed.shift();
    const victim = oldest ?? row;
    if (victim.reason === null) dropped.allowed += victim.sampled;
    else dropped.denied += 1;
    return victim !== row;
  }

  return {
    size,
    /** Returns how many decisions were dropped since the start. */
    dropped: (): Readonly<Dropped> => dropped,
    add(row: DecisionRow): void {
      if (makeRoom(row)) (row.reason === null ? waiting.allowed : waiting.denied).push(row);
    },
    /** Takes up to `count` of the oldest rows, denied ones first; they still count in the size. */
    take(count: number): DecisionRow[] {
      const denied = waiting.denied.splice(0, count);
      const allowed = waiting.allowed.splice(0, count - denied.length);
      sent += denied.length + allowed.length;
      return [...denied, ...allowed];
    },
    /** Ends the sending of rows that PostgreSQL has, or has refused for good. */
    settle(rows: readonly DecisionRow[]): void {
      sent -= rows.length;
    },
    /** Puts rows back that could not be sent. */
    putBack(rows: readonly DecisionRow[]): void {
      sent -= rows.length;
      waiting.denied.unshift(...rows.filter(({ reason }) => reason !== null));
      waiting.allowed.unshift(...rows.filter(({ reason }) => reason === null));
    },
  };
}
