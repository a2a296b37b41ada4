import type { Actor } from '../caller/actor.ts';
import { scopeName } from '../caller/scope.ts';
import type { ScopeRef } from '../caller/scope.ts';
import type { Database } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import { createAppliers, fenceObject } from './apply.ts';
import type { Engine } from './client.ts';
import { EPOCH_OBJECT, PLATFORM } from './deployment.ts';
import type { Drift } from './drift.ts';
import { lockScope, raiseRevision, readScopes } from './store.ts';
import { platformTuples } from './system-roles.ts';
import { splitDelta, tupleKey } from './tuple.ts';
import type { Tuple } from './tuple.ts';

interface StraysDependencies {
  database: Database;
  engine: Engine;
  log: Log;
}

const APPLY_MS = 10_000;
const PLATFORM_OBJECTS = new Set([
  ...platformTuples()
    .flat()
    .map(({ object }) => object),
  EPOCH_OBJECT,
  fenceObject(PLATFORM),
]);
const ACCOUNT_OBJECT =
  /^(?:account:|scope:account\.)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * Tuples on objects that no scope stands behind: nobody of ours wrote them, and comparing scopes
 * never meets them. With `repair` the platform's outbox takes them away.
 */
export async function* findStrays(
  dependencies: StraysDependencies,
  options: { repair: boolean; actor: Actor },
): AsyncGenerator<Drift> {
  for await (const tuples of dependencies.engine.readAll()) {
    const strays = await straysAmong(dependencies.database, tuples);
    if (strays.length === 0) continue;
    const repaired = options.repair && (await remove(dependencies, strays, options.actor));
    for (const [object, extra] of Map.groupBy(strays, (tuple) => tuple.object))
      yield { scope: object, missing: [], extra, fence_agrees: true, repaired };
  }
}

/** The row of a scope is there before its first tuple, so looking for rows last sees each. */
async function straysAmong(database: Database, tuples: readonly Tuple[]): Promise<Tuple[]> {
  const scopes = tuples.map(({ object }) => scopeOf(object));
  const named = new Map(scopes.filter((one) => one !== null).map((one) => [scopeName(one), one]));
  const rows = await readScopes(database.pool, [...named.values()]);
  const known = new Set(rows.map(scopeName));
  return tuples.filter((_, index) => {
    const scope = scopes[index]!;
    return scope === null || !known.has(scopeName(scope));
  });
}

function scopeOf(object: string): ScopeRef | null {
  if (PLATFORM_OBJECTS.has(object)) return PLATFORM;
  const id = ACCOUNT_OBJECT.exec(object)?.[1];
  return id === undefined ? null : { kind: 'account', id };
}

/**
 * False: the platform moved meanwhile, and the next run looks again. A tuple that is gone already,
 * with its account or by a repair beside this one, would make OpenFGA refuse the change for good.
 */
async function remove(
  { database, engine, log }: StraysDependencies,
  strays: readonly Tuple[],
  actor: Actor,
): Promise<boolean> {
  const [before] = await readScopes(database.pool, [PLATFORM]);
  if (before === undefined || before.applied < before.revision) return false;
  const deletes = await stillHeld(engine, strays);
  if (deletes.length === 0) return true;
  const isQueued = await database.transaction(async (transaction) => {
    const locked = await lockScope(transaction, PLATFORM);
    if (locked.revision !== before.revision) return false;
    const parts = splitDelta({ deletes, writes: [] });
    await raiseRevision(transaction, locked, parts, { actor, reason: 'drift.repair' });
    return true;
  });
  return isQueued && createAppliers({ database, engine, log }).apply(PLATFORM, APPLY_MS);
}

async function stillHeld(engine: Engine, strays: readonly Tuple[]): Promise<Tuple[]> {
  const held = new Set<string>();
  for (const object of new Set(strays.map((tuple) => tuple.object)))
    for (const tuple of await engine.read(object)) held.add(tupleKey(tuple));
  return strays.filter((tuple) => held.has(tupleKey(tuple)));
}
