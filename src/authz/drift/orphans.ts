import type { Actor } from '../../caller/actor.ts';
import { scopeName } from '../../caller/scope.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { createAppliers } from '../changes/apply.ts';
import type { Engine } from '../engine/client.ts';
import { typeOf } from '../decisions/evaluator.ts';
import { createDrift } from './scope-drift.ts';
import type { Drift, DriftDependencies, DriftOptions } from './scope-drift.ts';
import {
  createScope,
  hasPendingChange,
  lockScope,
  raiseRevision,
  readScopes,
} from '../changes/store.ts';
import { ORPHANS } from '../system-roles.ts';
import { splitDelta, tupleKey } from '../tuple.ts';
import type { Tuple } from '../tuple.ts';

const APPLY_MS = 10_000;
const NO_OBJECTS: ReadonlySet<string> = new Set();

/**
 * Finds orphaned tuples: those on objects without a row, which comparing scopes never finds. With
 * `repair` they are deleted through their own outbox. Tuples whose object or subject type no module
 * registered belong to another version of this code: they are counted and left unchanged.
 */
export async function* findOrphans(
  dependencies: DriftDependencies,
  options: DriftOptions,
): AsyncGenerator<Drift> {
  const unknown = new Map<string, number>();
  for await (const tuples of dependencies.engine.readAll()) {
    const { orphans, foreign } = await classify(dependencies, dependencies.database.pool, tuples);
    for (const name of foreign) unknown.set(name, (unknown.get(name) ?? 0) + 1);
    if (orphans.length === 0) continue;
    const removed = options.repair
      ? await removeOrphans(dependencies, orphans, options.actor)
      : NO_OBJECTS;
    for (const [object, extra] of Map.groupBy(orphans, (tuple) => tuple.object))
      yield createDrift(object, { extra, repaired: removed.has(object), ...restoredBy(extra) });
  }
  for (const [type, count] of unknown) {
    dependencies.log.warn(
      { type, count },
      'tuples of unregistered types ignored; another version may have written them',
    );
    yield createDrift(type, { unregistered: count });
  }
}

/** The fencing token of a scope without a row is of one that a restored database has lost. */
const restoredBy = (extra: readonly Tuple[]): Pick<Drift, 'is_restored'> =>
  extra.some(({ relation, object }) => relation === 'at' && typeOf(object) === 'scope')
    ? { is_restored: true }
    : {};

/**
 * Classifies tuples by their rows, which are read afterwards: a row exists before its first tuple.
 */
async function classify(
  { projections }: DriftDependencies,
  db: Queryable,
  tuples: readonly Tuple[],
) {
  const objects = new Set(tuples.map(({ object }) => object));
  const scopeOf = await projections.scopesOf(db, objects);
  const scopes = [...objects].map(scopeOf).filter((scope) => scope != null);
  const rows = new Set((await readScopes(db, scopes)).map(scopeName));
  /** Types of the tuples that another version of this code wrote. */
  const foreign: string[] = [];
  const orphans: Tuple[] = [];
  for (const tuple of tuples) {
    const scope = scopeOf(tuple.object);
    const [type, subject] = [typeOf(tuple.object), typeOf(tuple.user)];
    if (scope === undefined) foreign.push(`objects of type ${type}`);
    else if (!projections.covers(tuple)) foreign.push(`${subject} on objects of type ${type}`);
    else if (scope === null || !rows.has(scopeName(scope))) orphans.push(tuple);
  }
  return { orphans, foreign };
}

/**
 * Deletes orphaned tuples and returns their objects; the next run finds the others again. If a
 * tuple has already been deleted, with its row or by another repair, OpenFGA would refuse the
 * change permanently. So nothing is deleted while a change to these objects is pending, and the
 * tuples are read again after that check.
 */
async function removeOrphans(
  dependencies: DriftDependencies,
  orphans: readonly Tuple[],
  actor: Actor,
): Promise<ReadonlySet<string>> {
  const { database, engine, log } = dependencies;
  const appliers = createAppliers({ database, engine, log });
  if (!(await appliers.apply(ORPHANS, APPLY_MS))) return NO_OBJECTS;
  const [before] = await readScopes(database.pool, [ORPHANS]);
  if (await hasPendingChange(database.pool, objectsOf(orphans))) return NO_OBJECTS;
  const existing = await keepExisting(engine, orphans);
  const removed = await database.transaction(async (transaction) => {
    await createScope(transaction, ORPHANS);
    const locked = await lockScope(transaction, ORPHANS);
    if (locked.revision !== (before?.revision ?? 0)) return NO_OBJECTS;
    // Reading takes time: an object that has an owner by now is not orphaned.
    const rechecked = await classify(dependencies, transaction, orphans);
    const objects = new Set(objectsOf(rechecked.orphans));
    const deletes = existing.filter(({ object }) => objects.has(object));
    if (deletes.length > 0)
      await raiseRevision(transaction, locked, splitDelta({ deletes, writes: [] }), {
        ...{ actor, reason: 'drift.repair' },
        model_id: engine.tupleModelId,
      });
    return objects;
  });
  return (await appliers.apply(ORPHANS, APPLY_MS)) ? removed : NO_OBJECTS;
}

const objectsOf = (tuples: readonly Tuple[]) => [...new Set(tuples.map(({ object }) => object))];

async function keepExisting(engine: Engine, tuples: readonly Tuple[]): Promise<Tuple[]> {
  const existing = new Set<string>();
  for (const object of objectsOf(tuples))
    for (const tuple of await engine.read(object)) existing.add(tupleKey(tuple));
  return tuples.filter((tuple) => existing.has(tupleKey(tuple)));
}
