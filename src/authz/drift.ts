import type { Actor } from '../caller/actor.ts';
import { scopeName } from '../caller/caller.ts';
import type { ScopeRef } from '../caller/caller.ts';
import type { Connection, Database } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import { createAppliers, fenceObject, fenceOf } from './apply.ts';
import type { Project } from './change.ts';
import type { Engine } from './client.ts';
import { lockScope, raiseRevision, readScopes, scopesAfter } from './store.ts';
import type { LockedScope } from './store.ts';
import { difference, splitDelta } from './tuple.ts';
import type { Delta, Tuple, Unit } from './tuple.ts';

/** What one scope's tuples are beside what its rows say. */
export interface Drift {
  scope: string;
  /** In rows, not in OpenFGA. */
  missing: Tuple[];
  /** In OpenFGA, not in rows: an extra allow. */
  extra: Tuple[];
  /** The fence stands where the outbox says; false after a restore of either side. */
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

/**
 * Compares every scope with its rows; with `repair`, writes what is missing and deletes what is
 * extra through the outbox. A scope that moved meanwhile is left to the next run.
 */
export async function* compareScopes(
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
      await appliers.apply(scope, APPLY_MS);
      const found = await compareScope(dependencies, scope);
      if (!found) continue;
      if (options.repair) {
        const queued = await repairScope(dependencies, scope, found, options.actor);
        found.drift.repaired = queued && (await appliers.apply(scope, APPLY_MS));
      }
      yield found.drift;
    }
    last = scopes.at(-1) ?? null;
    if (scopes.length < PAGE) return;
  }
}

async function compareScope(
  dependencies: DriftDependencies,
  scope: LockedScope,
): Promise<Found | null> {
  const { database, engine } = dependencies;
  const { wanted, objects, position, revision } = await database.transaction(
    async (transaction) => {
      const locked = await lockScope(transaction, scope);
      const { units, objects: places } = await dependencies.unitsOf(transaction, scope);
      const tuples: Tuple[] = [];
      for (const unit of units) tuples.push(...(await dependencies.project(transaction, unit)));
      const { position: at, revision: seen } = locked;
      return { wanted: tuples, objects: places, position: at, revision: seen };
    },
  );
  const held: Tuple[] = [];
  for (const object of objects) held.push(...(await engine.read(object)));
  const fences = await engine.read(fenceObject(scope));
  const fence = fenceOf(fences);
  const delta = difference(held, wanted);
  if (delta.deletes.length + delta.writes.length === 0 && fence === position) return null;
  const [now] = await readScopes(database.pool, [scope]);
  if (now?.revision !== revision) return null;
  const drift: Drift = {
    scope: scopeName(scope),
    missing: delta.writes,
    extra: delta.deletes,
    fence_agrees: fence === position,
    repaired: false,
  };
  return { drift, delta, fences, position };
}

interface Found {
  drift: Drift;
  delta: Delta;
  /** The fence as it was found: one tuple, none, or several after a restore. */
  fences: Tuple[];
  position: number;
}

/** Mends the tuples through the outbox; false: something moved, and the next run looks again. */
async function repairScope(
  { database, engine }: DriftDependencies,
  scope: ScopeRef,
  found: Found,
  actor: Actor,
): Promise<boolean> {
  if (!found.drift.fence_agrees && !(await moveFence(engine, scope, found))) return false;
  return database.transaction(async (transaction) => {
    const locked = await lockScope(transaction, scope);
    if (locked.position !== found.position) return false;
    const parts = splitDelta(found.delta);
    await raiseRevision(transaction, locked, parts, { actor, reason: 'drift.repair' });
    return true;
  });
}

/**
 * After a restore the fence is the one tuple that is written outside the outbox: from exactly what
 * was found, so that a change which is applied meanwhile is never undone.
 */
async function moveFence(engine: Engine, scope: ScopeRef, found: Found): Promise<boolean> {
  const to = { user: `revision:${found.position}`, relation: 'at', object: fenceObject(scope) };
  const move = difference(found.fences, found.position > 0 ? [to] : []);
  return (await engine.write(move)) === 'written';
}
