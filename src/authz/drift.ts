import { scopeName } from '../caller/caller.ts';
import type { ScopeRef } from '../caller/caller.ts';
import type { Connection, Database } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import { createAppliers, fenceObject, readFence } from './apply.ts';
import type { Project } from './change.ts';
import type { Engine } from './client.ts';
import { lockScope, raiseRevision, readScopes, scopesAfter } from './store.ts';
import type { Actor, LockedScope } from './store.ts';
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
      if (scope.kind === 'platform') continue;
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

async function compareScope(dependencies: DriftDependencies, scope: LockedScope) {
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
  const fence = await readFence(engine, scope);
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
  return { drift, delta, position };
}

/** Sets the fence to where the outbox is, then mends the tuples through it; false: it moved. */
async function repairScope(
  dependencies: DriftDependencies,
  scope: ScopeRef,
  { delta, position }: { delta: Delta; position: number },
  actor: Actor,
): Promise<boolean> {
  await moveFence(dependencies.engine, scope, position);
  return dependencies.database.transaction(async (transaction) => {
    const locked = await lockScope(transaction, scope);
    if (locked.position !== position) return false;
    await raiseRevision(transaction, locked, splitDelta(delta), { actor, reason: 'drift.repair' });
    return true;
  });
}

/** After a restore the fence is the one tuple that is written outside the outbox. */
async function moveFence(engine: Engine, scope: ScopeRef, position: number): Promise<void> {
  const object = fenceObject(scope);
  const wanted = position > 0 ? [{ user: `revision:${position}`, relation: 'at', object }] : [];
  const move = difference(await engine.read(object), wanted);
  if (move.deletes.length + move.writes.length === 0) return;
  const outcome = await engine.write(move);
  if (outcome !== 'written') throw new Error(`OpenFGA did not move the fence of ${object}`);
}
