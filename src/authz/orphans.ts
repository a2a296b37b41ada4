import type { Actor } from '../caller/actor.ts';
import { scopeName } from '../caller/scope.ts';
import { createAppliers } from './apply.ts';
import type { Engine } from './client.ts';
import { typeOf } from './evaluator.ts';
import { unregistered } from './scope-drift.ts';
import type { Drift, DriftDependencies, DriftOptions } from './scope-drift.ts';
import { isWaitingFor, lockScope, raiseRevision, readScopes } from './store.ts';
import { PLATFORM } from './system-roles.ts';
import { splitDelta, tupleKey } from './tuple.ts';
import type { Tuple } from './tuple.ts';

const APPLY_MS = 10_000;

/**
 * Finds orphaned tuples: on objects that no row stands behind, which comparing scopes never meets.
 * With `repair` the platform's outbox takes them away. Tuples of a type that no module registered
 * belong to another version of this code: they are counted and left alone.
 */
export async function* findOrphans(
  dependencies: DriftDependencies,
  options: DriftOptions,
): AsyncGenerator<Drift> {
  const unknown = new Map<string, number>();
  for await (const tuples of dependencies.engine.readAll()) {
    const { orphans, foreign } = await sort(dependencies, tuples);
    for (const { object } of foreign)
      unknown.set(typeOf(object), (unknown.get(typeOf(object)) ?? 0) + 1);
    if (orphans.length === 0) continue;
    const repaired = options.repair && (await remove(dependencies, orphans, options.actor));
    for (const [object, extra] of Map.groupBy(orphans, (tuple) => tuple.object))
      yield { scope: object, missing: [], extra, fence_agrees: true, repaired };
  }
  for (const [type, count] of unknown) {
    dependencies.log.warn({ type, count }, 'tuples of a type no module registered are left alone');
    yield unregistered(`objects of type ${type}`, count);
  }
}

/** A row is there before its first tuple, so looking for rows last sees each. */
async function sort({ database, projections }: DriftDependencies, tuples: readonly Tuple[]) {
  const objects = new Set(tuples.map(({ object }) => object));
  const scopeOf = await projections.scopesOf(database.pool, objects);
  const scopes = [...objects].map(scopeOf).filter((scope) => scope != null);
  const rows = new Set((await readScopes(database.pool, scopes)).map(scopeName));
  const foreign: Tuple[] = [];
  const orphans: Tuple[] = [];
  for (const tuple of tuples) {
    const scope = scopeOf(tuple.object);
    if (scope === undefined) foreign.push(tuple);
    else if (scope === null || !rows.has(scopeName(scope))) orphans.push(tuple);
  }
  return { orphans, foreign };
}

/**
 * False: something moved meanwhile, and the next run looks again. A tuple that is gone already, with
 * its row or by another repair, would make OpenFGA refuse the change for good; so an object whose
 * row went is left to the change that took it, and what is held is read after that.
 */
async function remove(
  { database, engine, log }: DriftDependencies,
  orphans: readonly Tuple[],
  actor: Actor,
): Promise<boolean> {
  const [before] = await readScopes(database.pool, [PLATFORM]);
  if (before === undefined || before.applied < before.revision) return false;
  const objects = [...new Set(orphans.map(({ object }) => object))];
  if (await isWaitingFor(database.pool, objects)) return false;
  const deletes = await stillHeld(engine, orphans, objects);
  if (deletes.length === 0) return true;
  const isQueued = await database.transaction(async (transaction) => {
    const locked = await lockScope(transaction, PLATFORM);
    if (locked.revision !== before.revision) return false;
    const parts = splitDelta({ deletes, writes: [] });
    await raiseRevision(transaction, locked, parts, {
      ...{ actor, reason: 'drift.repair' },
      model_id: engine.modelId,
    });
    return true;
  });
  return isQueued && createAppliers({ database, engine, log }).apply(PLATFORM, APPLY_MS);
}

async function stillHeld(
  engine: Engine,
  tuples: readonly Tuple[],
  objects: readonly string[],
): Promise<Tuple[]> {
  const held = new Set<string>();
  for (const object of objects)
    for (const tuple of await engine.read(object)) held.add(tupleKey(tuple));
  return tuples.filter((tuple) => held.has(tupleKey(tuple)));
}
