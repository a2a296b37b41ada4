import type { Actor } from '../../caller/actor.ts';
import { scopeName } from '../../caller/scope.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import type { Database, Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { Log } from '../../platform/observability/log.ts';
import { createAppliers } from '../changes/apply.ts';
import type { Appliers } from '../changes/apply.ts';
import type { Engine } from '../engine/client.ts';
import { fencesIn } from '../foreign-writes/matching.ts';
import { listParts } from '../foreign-writes/store.ts';
import { writeUnfenced } from '../foreign-writes/unfenced.ts';
import { fenceObject, fenceOf, fenceTuple } from '../changes/fence.ts';
import type { Projections } from '../changes/projections.ts';
import {
  abandonPending,
  readLastFence,
  lockScope,
  raiseRevision,
  readScopes,
  listScopesAfter,
  listPendingParts,
} from '../changes/store.ts';
import type { LockedScope } from '../changes/store.ts';
import { difference, isEmpty, splitDelta } from '../tuple.ts';
import type { Delta, Tuple } from '../tuple.ts';

/** Difference between the tuples and the rows of one scope. */
export interface Drift {
  /** Name of the scope, object of the orphaned tuples, or a type that no module registered. */
  scope: string;
  /** In the rows, but not in OpenFGA. */
  missing: Tuple[];
  /** In OpenFGA, but not in the rows: these may allow too much. */
  extra: Tuple[];
  /** Whether OpenFGA has the outbox's last fence; false after a refused change or a restore. */
  fence_agrees: boolean;
  repaired: boolean;
  /** OpenFGA has a fencing token that the rows do not know: PostgreSQL was restored. */
  is_restored?: true;
  /** Number of tuples or scopes of a type that no module registered; they are never touched. */
  unregistered?: number;
}

export interface DriftDependencies {
  database: Database;
  engine: Engine;
  projections: Projections;
  log: Log;
}

export interface DriftOptions {
  repair: boolean;
  /** Recorded in the outbox. */
  reason?: 'drift.repair' | 'deploy';
  actor: Actor;
}

export const createDrift = (scope: string, found: Partial<Drift>): Drift => ({
  ...{ scope, missing: [], extra: [], fence_agrees: true, repaired: false },
  ...found,
});

const PAGE = 100;
const APPLY_MS = 10_000;
// A busy scope can change during each of the first ATTEMPTS comparisons; later ones lock it.
const ATTEMPTS = 3;
const LOCKED_ATTEMPTS = 3;

interface CompareOptions extends DriftOptions {
  appliers: Appliers;
  model_id: string;
}

/** Why a scope cannot be compared now: it changed, or another scope must be repaired first. */
type Postponed = 'changed' | 'blocked';

/**
 * Compares every scope with its rows; with `repair`, writes missing tuples and deletes extra ones
 * through the outbox. A scope that waits for another is repaired after that one. A scope that has
 * pending changes at every comparison is left to the next run; `changed` is called with it.
 */
export async function* compareScopes(
  dependencies: DriftDependencies,
  options: DriftOptions & { changed(scope: ScopeRef): void },
): AsyncGenerator<Drift> {
  const compareOptions = {
    ...options,
    appliers: createAppliers(dependencies),
    model_id: dependencies.engine.tupleModelId,
  };
  const unknown = new Map<string, number>();
  let scopes: AsyncIterable<ScopeRef> | readonly ScopeRef[] = everyScope(dependencies.database);
  for (let before = Number.POSITIVE_INFINITY; ;) {
    const waiting: ScopeRef[] = [];
    for await (const scope of scopes) {
      const drift = await compareRepeatedly(dependencies, scope, compareOptions);
      if (drift === 'unregistered') unknown.set(scope.kind, (unknown.get(scope.kind) ?? 0) + 1);
      else if (drift === 'changed') options.changed(scope);
      else if (drift === 'blocked') waiting.push(scope);
      else if (drift !== null) yield drift;
    }
    // This round unblocked no scope, so the remaining ones are reported and left to the next run.
    if (waiting.length === before)
      yield* waiting.map((scope) => createDrift(scopeName(scope), { fence_agrees: false }));
    if (waiting.length === 0 || waiting.length === before) break;
    before = waiting.length;
    scopes = waiting;
  }
  for (const [kind, count] of unknown)
    yield createDrift(`scopes of kind ${kind}`, { unregistered: count });
}

async function* everyScope(database: Database): AsyncGenerator<ScopeRef> {
  for (let last: ScopeRef | null = null; ;) {
    const scopes: readonly LockedScope[] = await listScopesAfter(database.pool, last, PAGE);
    yield* scopes;
    last = scopes.at(-1) ?? null;
    if (scopes.length < PAGE) return;
  }
}

async function compareRepeatedly(
  dependencies: DriftDependencies,
  scope: ScopeRef,
  options: CompareOptions,
): Promise<Drift | Postponed | 'unregistered' | null> {
  const { repair, appliers } = options;
  let drift: Drift | null = null;
  for (let attempt = 1; attempt <= ATTEMPTS + LOCKED_ATTEMPTS; attempt += 1) {
    await appliers.apply(scope, APPLY_MS);
    const compare = attempt <= ATTEMPTS ? compareScope : compareLockedScope;
    const found = await compare(dependencies, scope, options);
    // The repair that an earlier comparison queued has been applied in the meantime.
    if (found === null) return drift && { ...drift, repaired: true };
    if (found === 'unregistered' || found === 'blocked') return found;
    if (found === 'changed') continue;
    ({ drift } = found);
    if (!repair) return drift;
    const isRepaired = found.isQueued && (await repairFence(dependencies, scope, found));
    if (isRepaired && (await appliers.apply(scope, APPLY_MS))) return { ...drift, repaired: true };
    // A repair that fails is followed by another comparison, but never by one under the lock.
    if (attempt >= ATTEMPTS) return drift;
  }
  return drift ?? 'changed';
}

interface FoundDrift {
  drift: Drift;
  delta: Delta;
  /** Fence tuples found in OpenFGA: one, none, or several after a restore. */
  fences: Tuple[];
  /** The fence that the outbox expects. */
  fence: string | null;
  /** The repair is in the outbox. */
  isQueued: boolean;
}
type Comparison = FoundDrift | Postponed | 'unregistered' | null;

/** Returns null if tuples and fence match the rows. Holds no lock while it reads OpenFGA. */
async function compareScope(
  dependencies: DriftDependencies,
  scope: ScopeRef,
  options: CompareOptions,
): Promise<Comparison> {
  const { database } = dependencies;
  const rows = await database.transaction((transaction) =>
    readRows(dependencies, transaction, scope),
  );
  if (typeof rows === 'string') return rows;
  const found = await findScopeDrift(dependencies, database.pool, scope, rows);
  if (found === null) return null;
  const { revision } = rows.locked;
  const [now] = await readScopes(database.pool, [scope]);
  if (now?.revision !== revision) return 'changed';
  if (!options.repair) return found;
  return database.transaction(async (transaction) => {
    const locked = await lockScope(transaction, scope);
    if (locked.revision !== revision) return 'changed';
    return queueRepair(transaction, locked, found, options);
  });
}

/**
 * Compares like `compareScope`, but with the scope locked, so that it cannot change in the
 * meantime.
 */
function compareLockedScope(
  dependencies: DriftDependencies,
  scope: ScopeRef,
  options: CompareOptions,
): Promise<Comparison> {
  return dependencies.database.transaction(async (transaction) => {
    const rows = await readRows(dependencies, transaction, scope);
    if (typeof rows === 'string') return rows;
    const found = await findScopeDrift(dependencies, transaction, scope, rows);
    if (found === null || !options.repair) return found;
    return queueRepair(transaction, rows.locked, found, options);
  });
}

interface Rows {
  locked: LockedScope;
  objects: readonly string[];
  expected: readonly Tuple[];
  fence: string | null;
}

async function readRows(
  { projections }: DriftDependencies,
  transaction: Transaction,
  scope: ScopeRef,
): Promise<Rows | Postponed | 'unregistered'> {
  const locked = await lockScope(transaction, scope);
  const objects = await projections.objectsOf(transaction, scope);
  if (objects === null) return 'unregistered';
  if (locked.applied < locked.revision) {
    // A pending change is not drift.
    if (!locked.is_stuck) return 'changed';
    // If repaired now, this scope would allow decisions before the change that must precede its own.
    const [next] = await listPendingParts(transaction, scope);
    if (next?.after != null) return 'blocked';
  }
  const slices = objects.map((object) => ({ object }));
  const projected = await projections.project(transaction, slices);
  const expected = projected.get(scopeName(scope)) ?? [];
  return { locked, objects, expected, fence: await readLastFence(transaction, scope) };
}

async function findScopeDrift(
  { engine, projections }: DriftDependencies,
  db: Queryable,
  scope: ScopeRef,
  { objects, expected, fence }: Rows,
): Promise<FoundDrift | null> {
  const stored: Tuple[] = [];
  for (const object of objects) stored.push(...(await engine.read(object)));
  const fences = await engine.read(fenceObject(scope));
  const fenceMatches = fenceOf(fences) === fence;
  // Tuples that no slice projects belong to another version of this code; findOrphans counts them.
  const delta = difference(stored.filter(projections.covers), expected);
  if (isEmpty(delta) && fenceMatches) return null;
  const isRestored = !(await areKnown(db, fences));
  const drift = createDrift(scopeName(scope), {
    missing: delta.writes,
    extra: delta.deletes,
    fence_agrees: fenceMatches,
    ...(isRestored ? { is_restored: true } : {}),
  });
  return { drift, delta, fences, fence, isQueued: false };
}

/** Returns whether the outbox has every fencing token that was found. */
async function areKnown(db: Queryable, fences: readonly Tuple[]): Promise<boolean> {
  const parts = await listParts(db, fencesIn(fences.map(asWritten)));
  return parts.length === fences.length;
}

const asWritten = (tuple: Tuple) => ({ tuple, operation: 'write' as const, at: '' });

/**
 * Queues the repair in the outbox, before the fence is repaired: an applier that finds the repaired
 * fence applies the repair first, so that no decision is made in the scope while the
 * refused change is missing.
 */
async function queueRepair(
  transaction: Transaction,
  locked: LockedScope,
  found: FoundDrift,
  { actor, reason = 'drift.repair', model_id }: CompareOptions,
): Promise<FoundDrift> {
  if (!found.drift.fence_agrees) await abandonPending(transaction, locked);
  await raiseRevision(transaction, locked, splitDelta(found.delta), { actor, reason, model_id });
  return { ...found, isQueued: true };
}

/**
 * Repairs the fence, bypassing the outbox. Deletes exactly the tuples that were found: if a change
 * was applied in the meantime, the Write is refused and undoes nothing.
 */
async function repairFence(
  { database, engine }: DriftDependencies,
  scope: ScopeRef,
  found: FoundDrift,
): Promise<boolean> {
  if (found.drift.fence_agrees) return true;
  const to = found.fence === null ? [] : [fenceTuple(scope, found.fence)];
  const delta = difference(found.fences, to);
  return (await writeUnfenced(database.pool, engine, delta)) === 'written';
}
