import type { Actor } from '../caller/actor.ts';
import { scopeName } from '../caller/scope.ts';
import type { ScopeRef } from '../caller/scope.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Log } from '../platform/observability/log.ts';
import { createAppliers } from './apply.ts';
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
// An account that is written all the time moves while it is looked at.
const LOOKS = 3;

/**
 * Compares every scope with its rows; with `repair`, writes what is missing and deletes what is
 * extra through the outbox. A scope that moves whenever it is looked at is left to the next run:
 * `moved` is told of it.
 */
export async function* compareScopes(
  dependencies: DriftDependencies,
  options: DriftOptions & { moved(scope: ScopeRef): void },
): AsyncGenerator<Drift> {
  const appliers = createAppliers(dependencies);
  const unknown = new Map<string, number>();
  for (let last: ScopeRef | null = null; ;) {
    const scopes: readonly LockedScope[] = await scopesAfter(
      dependencies.database.pool,
      last,
      PAGE,
    );
    for (const scope of scopes) {
      const drift = await lookAt(dependencies, scope, { ...options, appliers });
      if (drift === 'unregistered') unknown.set(scope.kind, (unknown.get(scope.kind) ?? 0) + 1);
      else if (drift !== null) yield drift;
    }
    last = scopes.at(-1) ?? null;
    if (scopes.length < PAGE) break;
  }
  for (const [kind, count] of unknown) yield unregistered(`scopes of kind ${kind}`, count);
}

async function lookAt(
  dependencies: DriftDependencies,
  scope: LockedScope,
  options: DriftOptions & {
    moved(scope: ScopeRef): void;
    appliers: ReturnType<typeof createAppliers>;
  },
): Promise<Drift | 'unregistered' | null> {
  const { repair, appliers } = options;
  let drift: Drift | null = null;
  for (let look = 1; look <= LOOKS; look += 1) {
    await appliers.apply(scope, APPLY_MS);
    const found = await compareScope(dependencies, scope);
    if (found === null) return drift;
    if (found === 'unregistered') return found;
    if (found === 'moved') continue;
    ({ drift } = found);
    if (!repair) return drift;
    const isQueued = await repairScope(dependencies, scope, found, options);
    drift.repaired = isQueued && (await appliers.apply(scope, APPLY_MS));
    if (drift.repaired) return drift;
  }
  if (drift === null) options.moved(scope);
  return drift;
}

/** Returns null when it is as its rows say. */
async function compareScope(
  dependencies: DriftDependencies,
  scope: LockedScope,
): Promise<Found | 'moved' | 'unregistered' | null> {
  const { database, engine, projections } = dependencies;
  const rows = await database.transaction(async (transaction) => {
    const locked = await lockScope(transaction, scope);
    const objects = await projections.objectsOf(transaction, scope);
    if (objects === null) return null;
    const slices = objects.map((object) => ({ object }));
    const projected = await projections.project(transaction, slices);
    const wanted = projected.get(scopeName(scope)) ?? [];
    return { locked, objects, wanted, fence: await lastFence(transaction, scope) };
  });
  if (rows === null) return 'unregistered';
  const { locked, objects, wanted, fence } = rows;
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
  { actor, reason = 'drift.repair' }: DriftOptions,
): Promise<boolean> {
  const isQueued = await database.transaction(async (transaction) => {
    const locked = await lockScope(transaction, scope);
    if (locked.revision !== found.revision) return false;
    if (!found.drift.fence_agrees) await giveUpWaiting(transaction, scope);
    const parts = splitDelta(found.delta);
    await raiseRevision(transaction, locked, parts, { actor, reason, model_id: engine.modelId });
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
