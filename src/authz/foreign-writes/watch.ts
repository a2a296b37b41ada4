import { randomUUID } from 'node:crypto';
import type { Database } from '../../platform/postgres/database.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { RecordAudit } from '../changes/change.ts';
import { withFence } from '../changes/fence.ts';
import type { Projections } from '../changes/projections.ts';
import type { Engine } from '../engine/client.ts';
import { tupleKey } from '../tuple.ts';
import type { Delta } from '../tuple.ts';
import { fencesIn, matchWrites } from './matching.ts';
import type { TupleChange } from './matching.ts';
import { entriesOf } from './owners.ts';
import { readSettled } from './reading.ts';
import {
  advanceLog,
  claimLog,
  forgetUnfenced,
  hasForeignWrite,
  listParts,
  listUnfenced,
  releaseLog,
} from './store.ts';
import type { ClaimedLog } from './store.ts';

const INTERVAL_MS = 5_000;
/** Longer than a Write may take, and than clocks differ. */
const SETTLE_MS = 10_000;

export interface ForeignWritesDependencies {
  /** The appliers' pool: requests do not wait behind it. */
  database: Database;
  engine: Pick<Engine, 'readChanges' | 'storeId'>;
  projections: Pick<Projections, 'scopesOf'>;
  audit: RecordAudit;
  /** Throws while the store is not the one of this database: all its changes would be foreign. */
  requireMatch(): unknown;
  log: Log;
  // Overridden in tests only.
  settleMs?: number;
}

/**
 * Finds changes of tuples in OpenFGA that no Write of ours made (docs/decisions/0058). Of all processes,
 * one reads the change log at a time; another continues where it stopped.
 */
export function createForeignWrites(dependencies: ForeignWritesDependencies) {
  const { database, engine, log, settleMs = SETTLE_MS } = dependencies;
  const process_id = randomUUID();
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | null = null;
  let isStopped = false;

  /** Compares the next changes; returns whether more are waiting. */
  async function compareNext(): Promise<boolean> {
    const claimed = await claimLog(database.pool, { process_id, store_id: engine.storeId });
    if (claimed === null) return false;
    const settled = await readSettled(engine, claimed, Date.parse(claimed.now) - settleMs);
    if (settled.changes.length === 0) return false;
    const foreign = await save(dependencies, claimed, settled);
    if (foreign === null) return false;
    count += foreign.length;
    for (const { operation, tuple } of foreign)
      log.error(
        { operation, tuple: tupleKey(tuple) },
        'foreign write in OpenFGA: a tuple was changed, but not by a gateway. Run: toolgate drift',
      );
    return settled.hasMore;
  }

  /** Compares all changes that are settled. */
  async function compare(): Promise<void> {
    dependencies.requireMatch();
    let hasMore = true;
    while (hasMore) hasMore = (await compareNext()) && !isStopped;
  }

  function scheduleNext(): void {
    if (isStopped) return;
    timer = setTimeout(
      () => {
        round = compare()
          .catch((error: unknown) =>
            log.warn({ err: error }, 'OpenFGA change log not compared; it will be tried again'),
          )
          .finally(scheduleNext);
      },
      INTERVAL_MS * (0.8 + 0.4 * Math.random()),
    ).unref();
  }

  return {
    compare,
    /** Returns how many foreign writes this process has found since its start. */
    count: () => count,
    /** Returns whether any process found one in the last 24 hours that was not repaired. */
    isWarned: () => hasForeignWrite(database.pool),
    start: scheduleNext,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await round;
      clearTimeout(timer);
      await releaseLog(database.pool, process_id).catch(() => {});
    },
  };
}

type Write = Delta & { unfenced_id?: string };

/**
 * Matches changes to the Writes of ours, and saves the position after them with the audit entries of those
 * that are foreign, which it returns; null if another process has saved a position meanwhile.
 */
function save(
  { database, projections, audit }: ForeignWritesDependencies,
  claimed: ClaimedLog,
  { changes, token }: { changes: readonly TupleChange[]; token: string | null },
): Promise<TupleChange[] | null> {
  return database.transaction(async (transaction) => {
    const parts = await listParts(transaction, fencesIn(changes));
    const own: Write[] = parts.map((part) => withFence(part, part));
    own.push(...(await listUnfenced(transaction)));
    const { foreign, found } = matchWrites(changes, own);
    const last_foreign_at =
      foreign
        .map(({ at }) => at)
        .toSorted()
        .at(-1) ?? null;
    if (!(await advanceLog(transaction, claimed, { token, last_foreign_at }))) return null;
    await forgetUnfenced(
      transaction,
      found.flatMap(({ unfenced_id }) => unfenced_id ?? []),
    );
    if (foreign.length > 0)
      await audit(transaction, await entriesOf(transaction, projections, foreign));
    return foreign;
  });
}
