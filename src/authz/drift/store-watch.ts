import { createMutex } from '../../platform/concurrency/mutex.ts';
import { createSingleFlight } from '../../platform/concurrency/single-flight.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Log } from '../../platform/observability/log.ts';
import { asRefusal } from '../../platform/errors/outage.ts';
import { unavailable } from '../../platform/errors/refusal.ts';
import { authzUnavailable } from '../engine/attempts.ts';
import type { Engine } from '../engine/client.ts';
import { findLastComparison } from '../engine/deployment.ts';
import { findMismatch, findRecentMismatch } from './store-comparison.ts';

const TICK_MS = 1_000;
/** Age of the last full comparison, by any gateway, at which the next one is due. */
const FULL_COMPARISON_AGE_MS = 4_000;
/** Each gateway makes at least a short comparison: it may reach another server than the others. */
const OWN_COMPARISON_AGE_MS = 5_000;
const NOT_COMPARED = 'the store has not been compared with the database yet';
const NOT_READY = 'The authorization service is not ready.';
/** Each of the two comparisons runs once at a time. */
const MAX_IN_TURN = 2;

export interface StoreWatchDependencies {
  database: Database;
  engine: Engine;
  /** Called when the store stops matching the database, or matches it again. */
  onChange(): void;
  log: Log;
}

/**
 * Watches whether the store still matches this database: one restored from a backup would answer
 * with old tuples.
 */
export function createStoreWatch(dependencies: StoreWatchDependencies) {
  const { database, engine, log } = dependencies;
  const state = createComparisons(dependencies);
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function compareIfDue(): Promise<void> {
    if (!state.isFullyCompared()) return state.compareFully();
    const last = await findLastComparison(database.pool);
    if (last === null || last.age_ms >= FULL_COMPARISON_AGE_MS) return state.compareFully();
    if (state.ageMs() >= OWN_COMPARISON_AGE_MS) return state.compareRecent();
  }

  function scheduleComparison(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      compareIfDue()
        .catch((error: unknown) =>
          log.warn({ err: error }, 'could not compare OpenFGA with the database'),
        )
        .finally(scheduleComparison);
    }, TICK_MS).unref();
  }

  return {
    requireMatch: state.requireMatch,
    /** The engine for decisions and changes. */
    compared: createComparedEngine(engine, state),
    /** Compares now, and throws `unavailable` unless store and database match. */
    async requireStore(): Promise<void> {
      await state.compareFully();
      state.requireMatch();
    },
    start: scheduleComparison,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

interface Comparison {
  find: typeof findMismatch;
  /** Whether it checks every change since the last full one. */
  isFull: boolean;
}
type Comparisons = ReturnType<typeof createComparisons>;

/** Compares the store with the database, and keeps the result. */
function createComparisons({ database, engine, onChange, log }: StoreWatchDependencies) {
  const { interruptions } = engine;
  // No decision is made before the first comparison.
  let mismatch: string | null = NOT_COMPARED;
  let generation = {};
  /** Number of interruptions when the last full comparison that was answered began. */
  let fullyCompared = 0;
  let comparedAt = 0;
  // The result of a late comparison must not replace that of a newer one.
  const inTurn = createMutex(MAX_IN_TURN);

  async function compare({ find, isFull }: Comparison): Promise<void> {
    const before = interruptions.count();
    const startedAt = performance.now();
    const found = await find({ database, engine: engine.comparison }).catch(refuse);
    // A short comparison does not end a mismatch: it may not see what the full one found.
    if (isFull || found !== null) setMismatch(found);
    if (isFull) fullyCompared = before;
    interruptions.markCompared(before);
    comparedAt = startedAt;
  }

  const createComparing = (comparison: Comparison) =>
    createSingleFlight(() =>
      inTurn('store', async () => {
        await compare(comparison);
        // The comparison may itself have been interrupted, and repeated a request.
        if (!interruptions.areCompared()) await compare(comparison);
      }),
    );
  const compareFully = createComparing({ find: findMismatch, isFull: true });
  const compareRecent = createComparing({
    find: (from) => findRecentMismatch(from, interruptions.ageMs),
    isFull: false,
  });

  function setMismatch(found: string | null): void {
    if (found === mismatch) return;
    if (found !== null)
      log.error(
        { store: found },
        'OpenFGA does not match the database; decisions are refused. Run: toolgate drift --repair',
      );
    mismatch = found;
    generation = {};
    onChange();
  }

  /**
   * Throws `unavailable` while store and database do not match: one was restored or emptied. Returns
   * an object that is the same until a comparison has another result.
   */
  function requireMatch(): object {
    if (mismatch !== null) throw unavailable(`OpenFGA: ${mismatch}`, undefined, NOT_READY);
    return generation;
  }

  const isFullyCompared = () => mismatch === null && fullyCompared === interruptions.count();

  async function requireCompared(isCompared: () => boolean, compareNow: () => Promise<void>) {
    if (mismatch === NOT_COMPARED) await compareFully();
    // A mismatch that was found is compared again by the timer, not by each request.
    requireMatch();
    if (isCompared()) return;
    await compareNow();
    requireMatch();
  }

  return {
    compareFully,
    compareRecent,
    requireMatch,
    isFullyCompared,
    /** Returns the milliseconds since this gateway last compared. */
    ageMs: () => performance.now() - comparedAt,
    /**
     * Throws `unavailable` unless the store matched the database after the last interruption: it may
     * have been restored in the meantime.
     */
    requireForDecision: () => requireCompared(interruptions.areCompared, compareRecent),
    /** Does the same by a full comparison, since a change hides what a store has lost. */
    requireForChange: () => requireCompared(isFullyCompared, compareFully),
  };
}

function refuse(error: unknown): never {
  throw asRefusal(error) ?? authzUnavailable('OpenFGA request failed', error);
}

/** Wraps the engine so that neither checks nor Writes use a store that may have been restored. */
const createComparedEngine = (
  engine: Engine,
  { requireForDecision, requireForChange }: Comparisons,
): Engine => ({
  ...engine,
  async batchCheck(checks) {
    await requireForDecision();
    const answers = await engine.batchCheck(checks);
    // One that was repeated, or a later batch, may have been answered by a restored store.
    await requireForDecision();
    return answers;
  },
  write: (delta) =>
    requireForChange().then(
      () => engine.write(delta),
      () => 'unknown',
    ),
});
