import type { Actor } from '../caller/actor.ts';
import { scopeName } from '../caller/scope.ts';
import type { ScopeRef } from '../caller/scope.ts';
import type { Connection, Database } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import { createAppliers, fenceObject, fenceOf, fenceTuple } from './apply.ts';
import type { Project } from './change.ts';
import type { Engine } from './client.ts';
import { findStrays } from './strays.ts';
import {
  giveUpWaiting,
  lastFence,
  lockScope,
  raiseRevision,
  readScopes,
  scopesAfter,
} from './store.ts';
import type { LockedScope } from './store.ts';
import { difference, splitDelta } from './tuple.ts';
import type { Delta, Tuple, Unit } from './tuple.ts';

/** What one scope's tuples are beside what its rows say. */
export interface Drift {
  /** Or the object, where no scope stands behind it. */
  scope: string;
  /** In rows, not in OpenFGA. */
  missing: Tuple[];
  /** In OpenFGA, not in rows: an extra allow. */
  extra: Tuple[];
  /** The fence stands where the outbox says; false where a change was refused or a side restored. */
  fence_agrees: boolean;
  repaired: boolean;
}

export interface DriftDependencies {
  database: Database;
  engine: Engine;
  project: Project;
  /** Every unit of a scope, and the objects its tuples stand on. */
  unitsOf(connection: Connection, scope: ScopeRef): Promise<{ units: Unit[]; objects: string[] }>;
  log: Log;
}

const PAGE = 100;
const APPLY_MS = 10_000;
// An account that is written all the time moves while it is looked at.
const LOOKS = 3;

/**
 * Compares every scope with its rows, then looks for tuples of no scope; with `repair`, writes what
 * is missing and deletes what is extra through the outbox. A scope that moves whenever it is looked
 * at is left to the next run, and named in the log.
 */
export async function* findDrift(
  dependencies: DriftDependencies,
  options: { repair: boolean; actor: Actor },
): AsyncGenerator<Drift> {
  yield* compareScopes(dependencies, options);
  yield* findStrays(dependencies, options);
}

async function* compareScopes(
  dependencies: DriftDependencies,
  options: { repair: boolean; actor: Actor },
): AsyncGenerator<Drift> {
  const appliers = createAppliers(dependencies);
  for (let last: ScopeRef | null = null; ;) {
    const scopes: readonly LockedScope[] = await scopesAfter(
      dependencies.database.pool,
      last,
      PAGE,
    );
    for (const scope of scopes) {
      const drift = await lookAt(dependencies, scope, { ...options, appliers });
      if (drift !== null) yield drift;
    }
    last = scopes.at(-1) ?? null;
    if (scopes.length < PAGE) return;
  }
}

async function lookAt(
  dependencies: DriftDependencies,
  scope: LockedScope,
  options: { repair: boolean; actor: Actor; appliers: ReturnType<typeof createAppliers> },
): Promise<Drift | null> {
  const { repair, actor, appliers } = options;
  let drift: Drift | null = null;
  for (let look = 1; look <= LOOKS; look += 1) {
    await appliers.apply(scope, APPLY_MS);
    const found = await compareScope(dependencies, scope);
    if (found === null) return drift;
    if (found === 'moved') continue;
    ({ drift } = found);
    if (!repair) return drift;
    const isQueued = await repairScope(dependencies, scope, found, actor);
    drift.repaired = isQueued && (await appliers.apply(scope, APPLY_MS));
    if (drift.repaired) return drift;
  }
  if (drift === null)
    dependencies.log.warn({ scope: scopeName(scope) }, 'not compared: it moved at every look');
  return drift;
}

/** Null: it is as its rows say. */
async function compareScope(
  dependencies: DriftDependencies,
  scope: LockedScope,
): Promise<Found | 'moved' | null> {
  const { database, engine } = dependencies;
  const { wanted, objects, fence, locked } = await database.transaction(async (transaction) => {
    const row = await lockScope(transaction, scope);
    const { units, objects: places } = await dependencies.unitsOf(transaction, scope);
    const tuples: Tuple[] = [];
    for (const unit of units) tuples.push(...(await dependencies.project(transaction, unit)));
    const at = await lastFence(transaction, scope);
    return { wanted: tuples, objects: places, fence: at, locked: row };
  });
  const { revision } = locked;
  // A change is on its way, and no drift.
  if (locked.applied < revision && !locked.is_stuck) return 'moved';
  const held: Tuple[] = [];
  for (const object of objects) held.push(...(await engine.read(object)));
  const fences = await engine.read(fenceObject(scope));
  const isAgreed = fenceOf(fences) === fence;
  const delta = difference(held, wanted);
  if (delta.deletes.length + delta.writes.length === 0 && isAgreed) return null;
  const [now] = await readScopes(database.pool, [scope]);
  if (now?.revision !== revision) return 'moved';
  const drift: Drift = {
    scope: scopeName(scope),
    missing: delta.writes,
    extra: delta.deletes,
    fence_agrees: isAgreed,
    repaired: false,
  };
  return { drift, delta, fences, fence, revision };
}

interface Found {
  drift: Drift;
  delta: Delta;
  /** The fence as it was found: one tuple, none, or several after a restore. */
  fences: Tuple[];
  /** Where it should stand. */
  fence: string | null;
  revision: number;
}

/**
 * Mends the tuples through the outbox; false: something moved, and it wants another look. The
 * mending waits in the outbox before the fence moves up to it, so that whoever meets the moved
 * fence applies it first: a scope never opens with what was refused left out.
 */
async function repairScope(
  { database, engine }: DriftDependencies,
  scope: ScopeRef,
  found: Found,
  actor: Actor,
): Promise<boolean> {
  const isQueued = await database.transaction(async (transaction) => {
    const locked = await lockScope(transaction, scope);
    if (locked.revision !== found.revision) return false;
    if (!found.drift.fence_agrees) await giveUpWaiting(transaction, scope);
    const parts = splitDelta(found.delta);
    await raiseRevision(transaction, locked, parts, { actor, reason: 'drift.repair' });
    return true;
  });
  return isQueued && (found.drift.fence_agrees || moveFence(engine, scope, found));
}

/**
 * The one tuple that is written outside the outbox: from exactly what was found, so that a change
 * which is applied meanwhile is never undone.
 */
async function moveFence(engine: Engine, scope: ScopeRef, found: Found): Promise<boolean> {
  const to = found.fence === null ? [] : [fenceTuple(scope, found.fence)];
  const move = difference(found.fences, to);
  return (await engine.write(move)) === 'written';
}
