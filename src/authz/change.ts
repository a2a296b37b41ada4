import type { Action } from '../caller/actions.ts';
import type { Actor } from '../caller/actor.ts';
import { scopeName } from '../caller/scope.ts';
import type { ScopeRef, ScopeState } from '../caller/scope.ts';
import type { Database, Transaction } from '../platform/postgres/database.ts';
import { createMutex } from '../platform/concurrency/mutex.ts';
import { DirtyScopes, inLockOrder, lockScopes } from './locks.ts';
import type { Locking } from './locks.ts';
import type { Projections } from './projections.ts';
import { raiseContent, raiseRevision } from './store.ts';
import type { LockedScope, Revision } from './store.ts';
import { difference, isEmpty, splitDelta } from './tuple.ts';
import type { Delta, Slice, Tuple } from './tuple.ts';

export interface Change<T> {
  actor: Actor;
  /** The action as shown in the audit and the change log. */
  reason: Action;
  /**
   * Every scope it changes; the audit has a row for each. They are applied to OpenFGA in this
   * order, never a later one before an earlier one, so list scopes that lose authority first.
   */
  writes: readonly [ScopeRef, ...ScopeRef[]];
  /**
   * Scopes in `writes` to create if they do not exist. Writing any other missing scope is a bug.
   */
  creates?: readonly ScopeRef[];
  /** The tuples that it may change in OpenFGA; each object belongs to one of the written scopes. */
  objects: readonly Slice[];
  /** Objects of the action, for the audit. */
  targets: readonly { type: string; id: string }[];
  /**
   * The scopes that the decision to allow this was based on; if one has changed or was deleted,
   * `ConcurrentUpdate` is thrown. Null if ownership alone decides (own revocation, sign-up): the
   * change then works in a dirty scope too.
   */
  basis: readonly ScopeState[] | null;
  work(transaction: Transaction): Promise<T>;
  /** Returns details for the audit. */
  detail?(value: T): Readonly<Record<string, unknown>>;
}

/** An edit of listed content: a selection or items. */
export type ContentEdit<T> = Omit<Change<T>, 'objects' | 'targets' | 'creates'> & {
  targets?: Change<T>['targets'];
};

/** Writes the audit in the transaction of the change: if it fails, so does the change. */
export type RecordAudit = (
  transaction: Transaction,
  entry: {
    actor: Actor;
    action: Action;
    scope: ScopeRef;
    units: readonly { type: string; id: string }[];
    detail?: Readonly<Record<string, unknown>>;
  },
) => Promise<void>;

export interface ChangesDependencies {
  database: Database;
  projections: Projections;
  audit: RecordAudit;
  /** The model that the projections are written for. */
  model_id: string;
  /** Applies the waiting changes of dirty scopes, or throws `unavailable`. */
  catchUp(scopes: readonly ScopeState[]): Promise<void>;
  /** Applies scopes to OpenFGA after the commit, within its own bounds; never throws. */
  applied(scopes: readonly ScopeRef[]): Promise<void>;
}

// Changes of one scope queue here, so that waiting ones occupy no connection of the pool.
const MAX_WAITING = 100;

/** The only way to change authority: rows, audit, outbox and revisions in one transaction. */
export function createChanges(dependencies: ChangesDependencies) {
  const { database, projections, audit, model_id, catchUp, applied } = dependencies;
  const decisionMutex = createMutex(MAX_WAITING);
  // Separate queues: a change that ownership alone decides, such as a revocation, must not queue
  // behind one that waits for dirty scopes.
  const ownerMutex = createMutex(MAX_WAITING);

  /**
   * Runs a transaction that locks the scopes. With a basis, applies the pending changes of dirty
   * scopes first. Takes the mutexes in lock order, so that no two changes deadlock.
   */
  function withLocks<T>(
    request: Locking,
    work: (transaction: Transaction, locked: ReadonlyMap<string, LockedScope>) => Promise<T>,
  ): Promise<T> {
    const exclusively = request.basis === null ? ownerMutex : decisionMutex;
    const attempt = () =>
      database.transaction(async (transaction) =>
        work(transaction, await lockScopes(transaction, request)),
      );
    const attemptCaughtUp = async () => {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof DirtyScopes)) throw error;
        await catchUp(error.scopes);
        return attempt();
      }
    };
    return inLockOrder(request.writes).reduceRight(
      (next, scope) => () => exclusively(scopeName(scope), next),
      attemptCaughtUp,
    )();
  }

  async function change<T>(requested: Change<T>): Promise<T> {
    const { writes, objects, targets: units, actor, reason: action } = requested;
    const result = await withLocks(requested, async (transaction, locked) => {
      const before = await projections.project(transaction, objects);
      const value = await requested.work(transaction);
      const deltas = deltasOf(before, await projections.project(transaction, objects));
      for (const name of deltas.keys())
        if (!locked.has(name))
          throw new TypeError(
            `${action} changes tuples of ${name}, which is missing from its writes.`,
          );
      let previous: Revision | null = null;
      for (const [name, scope] of byName(writes)) {
        await audit(transaction, { actor, action, scope, units, ...detailOf(requested, value) });
        const delta = deltas.get(name);
        const raised: Revision = await raiseRevision(
          transaction,
          locked.get(name)!,
          splitDelta(delta ?? { deletes: [], writes: [] }),
          { actor, reason: action, model_id, after: delta ? previous : null },
        );
        if (delta) previous = raised;
      }
      return value;
    });
    await applied(writes);
    return result;
  }

  /** Raises `content` only: lists have changed, authority has not. */
  function editContent<T>(edit: ContentEdit<T>): Promise<T> {
    const { writes, actor, reason: action } = edit;
    return withLocks(edit, async (transaction, locked) => {
      const value = await edit.work(transaction);
      const units = edit.targets ?? [];
      for (const scope of byName(writes).values())
        await audit(transaction, { actor, action, scope, units, ...detailOf(edit, value) });
      await raiseContent(transaction, [...locked.values()]);
      return value;
    });
  }

  return { change, editContent };
}

const detailOf = <T>({ detail }: Pick<Change<T>, 'detail'>, value: T) =>
  detail === undefined ? {} : { detail: detail(value) };

/** Returns each scope once, by name and in the given order. */
const byName = (scopes: readonly ScopeRef[]) =>
  new Map(scopes.map((scope) => [scopeName(scope), scope]));

type Projected = ReadonlyMap<string, readonly Tuple[]>;

/** Returns the changed tuples of each scope, by its name; unchanged scopes are left out. */
function deltasOf(before: Projected, after: Projected): Map<string, Delta> {
  const deltas = new Map<string, Delta>();
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const delta = difference(before.get(name) ?? [], after.get(name) ?? []);
    if (!isEmpty(delta)) deltas.set(name, delta);
  }
  return deltas;
}
