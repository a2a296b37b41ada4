import { newId } from '../platform/ids.ts';
import { isOutage } from '../platform/errors/outage.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { createDecisionBuffer } from './buffer.ts';
import { rowOf } from './row.ts';
import type { DecisionRow, MadeDecision } from './row.ts';
import { insertDecisions } from './store.ts';
import type { WrittenDecision } from './store.ts';

export interface RecorderDependencies {
  pool: Queryable;
  log: Log;
  /** Id of the authorization model that decides. */
  modelId: string;
  /** Of the allowed decisions, one in this many is recorded. */
  sampling: number;
  /** Receives the decisions that were written. */
  onWritten(decisions: readonly WrittenDecision[]): void;
  /** Rows that wait for PostgreSQL at most. */
  capacity?: number;
}

const CAPACITY = 20_000;
const BATCH = 2_000;

/**
 * Creates the sink of decisions. Rows wait for the next flush, and are sent again until PostgreSQL
 * has them; their ids make duplicates harmless.
 */
export function createRecorder(dependencies: RecorderDependencies) {
  const { log, sampling } = dependencies;
  const buffer = createDecisionBuffer(dependencies.capacity ?? CAPACITY);
  let flushing: Promise<void> | null = null;

  async function writeAll(): Promise<void> {
    for (let left = buffer.size(); left > 0; left -= BATCH) {
      const rows = buffer.take(BATCH);
      if (rows.length === 0) return;
      try {
        await write(dependencies, rows);
      } catch (error) {
        buffer.putBack(rows);
        log.warn(
          { err: error, waiting: buffer.size() },
          'decisions could not be written to PostgreSQL; they stay buffered',
        );
        return;
      }
      buffer.settle(rows);
    }
  }

  return {
    /** Records a decision: each denied one, and a sample of the others. Never throws or waits. */
    record(decision: MadeDecision): void {
      const isDenied = decision.denial !== null;
      if (!isDenied && sampling > 1 && Math.random() * sampling >= 1) return;
      buffer.add(rowOf(decision, newId(), isDenied ? 1 : sampling));
    },
    /** Writes the waiting rows; never rejects: rows that could not be written stay buffered. */
    flush(): Promise<void> {
      flushing ??= writeAll().finally(() => {
        flushing = null;
      });
      return flushing;
    },
    waitingRows: buffer.size,
    dropped: buffer.dropped,
  };
}

/** Writes rows; throws in an outage only. A row that PostgreSQL never accepts is dropped. */
async function write(
  dependencies: RecorderDependencies,
  rows: readonly DecisionRow[],
): Promise<void> {
  const { pool, log, modelId, onWritten } = dependencies;
  try {
    onWritten(await insertDecisions(pool, rows, modelId));
  } catch (error) {
    if (isOutage(error)) throw error;
    if (rows.length === 1) {
      log.error({ err: error }, 'decision rejected by PostgreSQL and dropped');
      return;
    }
    const middle = Math.ceil(rows.length / 2);
    await write(dependencies, rows.slice(0, middle));
    await write(dependencies, rows.slice(middle));
  }
}
