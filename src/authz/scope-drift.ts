import type { Actor } from '../caller/actor.ts';
import { scopeName } from '../caller/scope.ts';
import type { ScopeRef } from '../caller/scope.ts';
import type { Database, Transaction } from '../platform/postgres/database.ts';
import type { Log } from '../platform/observability/log.ts';
import { createAppliers } from './apply.ts';
import type { Appliers } from './apply.ts';
import type { Engine } from './client.ts';
import { fenceObject, fenceOf, fenceTuple } from './fence.ts';
import type { Projections } from './projections.ts';
import {
  giveUpWaiting,
  lastFence,
  lockScope,
  raiseRevision,
  readScopes,
  scopesAfter,
  waitingParts,
} from './store.ts';
import type { LockedScope } from './store.ts';
import { difference, splitDelta } from './tuple.ts';
import type { Delta, Tuple } from './tuple.ts';

/** How one scope's tuples differ from what its rows say. */
export interface Drift {
  /** Or the object without a scope, or the type that no module registered. */
  scope: string;
  /** In rows, not in OpenFGA. */
  missing: Tuple[];
  /** In OpenFGA, not in rows: an extra allow. */
  extra: Tuple[];
  /** The fence stands where the outbox says; false where a change was refused or a side restored. */
  fence_agrees: boolean;
  repaired: boolean;
  /** How many tuples (or scopes) are of a type no module registered: never touched. */
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
  /** As the outbox records it. */
  reason?: 'drift.repair' | 'deploy';
  actor: Actor;
}

/** A finding about what an older or other version of this code must leave alone. */
export const unregistered = (type: string, count: number): Drift => ({
  scope: type,
  missing: [],
  extra: [],
  fence_agrees: true,
  repaired: false,
  unregistered: count,
});

const PAGE = 100;
const APPLY_MS = 10_000;
// An account that is written all the time moves while it is looked at: then it is held still.
const LOOKS = 3;
const HELD_LOOKS = 3;

interface LookOptions extends DriftOptions {
  appliers: Appliers;
  model_id: string;
}

/** A scope that cannot be compared now: it moves, or a repair of an earlier scope comes first. */
type Later = 'moved' | 'waits';

/**
 * Compares every scope with its rows; with `repair`, writes what is missing and deletes what is
 * extra through the outbox. A scope that waits for another is repaired after that one. One whose
 * changes are never all applied when it is looked at is left to the next run: `moved` is called.
 */
export async function* compareScopes(
  dependencies: DriftDependencies,
  options: DriftOptions & { moved(scope: ScopeRef): void },
): AsyncGenerator<Drift> {
  const lookOptions = {
    ...options,
    appliers: createAppliers(dependencies),
    model_id: dependencies.engine.modelId,
  };
  const unknown = new Map<string, number>();
  let later: ScopeRef[] = [];
  for await (const scope of everyScope(dependencies.database)) {
    const drift = await lookAt(dependencies, scope, lookOptions);
    if (drift === 'unregistered') unknown.set(scope.kind, (unknown.get(scope.kind) ?? 0) + 1);
    else if (drift === 'moved') options.moved(scope);
    else if (drift === 'waits') later.push(scope);
    else if (drift !== null) yield drift;
  }
  while (later.length > 0) {
    const still: ScopeRef[] = [];
    for (const scope of later) {
      const drift = await lookAt(dependencies, scope, lookOptions);
      if (drift === 'waits') still.push(scope);
      else if (drift === 'moved') options.moved(scope);
      else if (drift !== null && drift !== 'unregistered') yield drift;
    }
    // Those they wait for were not repaired: the next run begins with them.
    if (still.length === later.length) {
      for (const scope of still) yield findingOf(scope, { fence_agrees: false });
      break;
    }
    later = still;
  }
  for (const [kind, count] of unknown) yield unregistered(`scopes of kind ${kind}`, count);
}

async function* everyScope(database: Database): AsyncGenerator<ScopeRef> {
  for (let last: ScopeRef | null = null; ;) {
    const scopes: readonly LockedScope[] = await scopesAfter(database.pool, last, PAGE);
    yield* scopes;
    last = scopes.at(-1) ?? null;
    if (scopes.length < PAGE) return;
  }
}

async function lookAt(
  dependencies: DriftDependencies,
  scope: ScopeRef,
  options: LookOptions,
): Promise<Drift | Later | 'unregistered' | null> {
  const { repair, appliers } = options;
  let drift: Drift | null = null;
  for (let look = 1; look <= LOOKS + HELD_LOOKS; look += 1) {
    await appliers.apply(scope, APPLY_MS);
    const compare = look <= LOOKS ? compareScope : compareHeldScope;
    const found = await compare(dependencies, scope, options);
    // The repair of an earlier look was applied meanwhile.
    if (found === null) return drift && { ...drift, repaired: true };
    if (found === 'unregistered' || found === 'waits') return found;
    if (found === 'moved') continue;
    ({ drift } = found);
    if (!repair) return drift;
    const isMended = found.isQueued && (await mendFence(dependencies.engine, scope, found));
    if (isMended && (await appliers.apply(scope, APPLY_MS))) return { ...drift, repaired: true };
    // One that is refused is looked at again, but not held for it.
    if (look >= LOOKS) return drift;
  }
  return drift ?? 'moved';
}

interface Found {
  drift: Drift;
  delta: Delta;
  /** The fence as it was found: one tuple, none, or several after a restore. */
  fences: Tuple[];
  /** Where it should stand. */
  fence: string | null;
  /** The repair waits in the outbox. */
  isQueued: boolean;
}
type Compared = Found | Later | 'unregistered' | null;

/** Returns null when it is as its rows say. Changes do not wait while OpenFGA is read. */
async function compareScope(
  dependencies: DriftDependencies,
  scope: ScopeRef,
  options: LookOptions,
): Promise<Compared> {
  const { database } = dependencies;
  const rows = await database.transaction((transaction) =>
    readRows(dependencies, transaction, scope),
  );
  if (typeof rows === 'string') return rows;
  const found = await findIn(dependencies, scope, rows);
  if (found === null) return null;
  const { revision } = rows.locked;
  const [now] = await readScopes(database.pool, [scope]);
  if (now?.revision !== revision) return 'moved';
  if (!options.repair) return found;
  return database.transaction(async (transaction) => {
    const locked = await lockScope(transaction, scope);
    if (locked.revision !== revision) return 'moved';
    return queueRepair(transaction, locked, found, options);
  });
}

/** The same while every change of the scope waits for it: it cannot move. */
function compareHeldScope(
  dependencies: DriftDependencies,
  scope: ScopeRef,
  options: LookOptions,
): Promise<Compared> {
  return dependencies.database.transaction(async (transaction) => {
    const rows = await readRows(dependencies, transaction, scope);
    if (typeof rows === 'string') return rows;
    const found = await findIn(dependencies, scope, rows);
    if (found === null || !options.repair) return found;
    return queueRepair(transaction, rows.locked, found, options);
  });
}

interface Rows {
  locked: LockedScope;
  objects: readonly string[];
  wanted: readonly Tuple[];
  fence: string | null;
}

async function readRows(
  { projections }: DriftDependencies,
  transaction: Transaction,
  scope: ScopeRef,
): Promise<Rows | Later | 'unregistered'> {
  const locked = await lockScope(transaction, scope);
  const objects = await projections.objectsOf(transaction, scope);
  if (objects === null) return 'unregistered';
  if (locked.applied < locked.revision) {
    // A change is on its way, and no drift.
    if (!locked.is_stuck) return 'moved';
    // Repaired first, it would be opened before what should have come before it.
    const [next] = await waitingParts(transaction, scope);
    if (next?.after != null) return 'waits';
  }
  const slices = objects.map((object) => ({ object }));
  const projected = await projections.project(transaction, slices);
  const wanted = projected.get(scopeName(scope)) ?? [];
  return { locked, objects, wanted, fence: await lastFence(transaction, scope) };
}

async function findIn(
  { engine, projections }: DriftDependencies,
  scope: ScopeRef,
  { objects, wanted, fence }: Rows,
): Promise<Found | null> {
  const held: Tuple[] = [];
  for (const object of objects) held.push(...(await engine.read(object)));
  const fences = await engine.read(fenceObject(scope));
  const isAgreed = fenceOf(fences) === fence;
  // What no slice projects is another version's; the search for orphaned tuples counts it.
  const delta = difference(held.filter(projections.knows), wanted);
  if (delta.deletes.length + delta.writes.length === 0 && isAgreed) return null;
  const drift = findingOf(scope, {
    missing: delta.writes,
    extra: delta.deletes,
    fence_agrees: isAgreed,
  });
  return { drift, delta, fences, fence, isQueued: false };
}

const findingOf = (scope: ScopeRef, found: Partial<Drift>): Drift => ({
  ...{ scope: scopeName(scope), missing: [], extra: [], fence_agrees: true, repaired: false },
  ...found,
});

/**
 * Puts the repair in the outbox. It waits there before the fence moves up to it, so that whoever
 * meets the moved fence applies it first: a scope never opens with what was refused left out.
 */
async function queueRepair(
  transaction: Transaction,
  locked: LockedScope,
  found: Found,
  { actor, reason = 'drift.repair', model_id }: LookOptions,
): Promise<Found> {
  if (!found.drift.fence_agrees) await giveUpWaiting(transaction, locked);
  await raiseRevision(transaction, locked, splitDelta(found.delta), { actor, reason, model_id });
  return { ...found, isQueued: true };
}

/**
 * Writes the one tuple that is written outside the outbox: from exactly what was found, so that a
 * change which is applied meanwhile is never undone.
 */
async function mendFence(engine: Engine, scope: ScopeRef, found: Found): Promise<boolean> {
  if (found.drift.fence_agrees) return true;
  const to = found.fence === null ? [] : [fenceTuple(scope, found.fence)];
  return (await engine.write(difference(found.fences, to))) === 'written';
}
