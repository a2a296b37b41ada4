import type { Action } from '../caller/actions.ts';
import type { Actor } from '../caller/actor.ts';
import { scopeName } from '../caller/scope.ts';
import type { ScopeRef, ScopeState } from '../caller/scope.ts';
import type { Database, Transaction } from '../platform/postgres/database.ts';
import { createTurns } from '../platform/concurrency/turns.ts';
import { inLockOrder, lockScopes } from './locks.ts';
import type { Projections } from './projections.ts';
import { raiseContent, raiseRevision } from './store.ts';
import type { LockedScope, Revision } from './store.ts';
import { difference, splitDelta } from './tuple.ts';
import type { Slice, Tuple } from './tuple.ts';

export interface Change<T> {
  actor: Actor;
  /** What happened, as audit and change log show it. */
  reason: Action;
  /**
   * Every scope it changes. The audit files it under the first; OpenFGA takes them in this order,
   * and a later one never before an earlier one, so name first whose authority ends.
   */
  writes: readonly [ScopeRef, ...ScopeRef[]];
  /** What it may move in OpenFGA, each object owned by one of the written scopes. */
  objects: readonly Slice[];
  /** What it was done to, for the audit. */
  targets: readonly { type: string; id: string }[];
  /**
   * The scopes the decision to allow this stood on; `ConcurrentUpdate` is thrown when one moved.
   * Null for what ownership alone decides (own revocation, sign-up): works in a dirty scope.
   */
  basis: readonly ScopeState[] | null;
  work(transaction: Transaction): Promise<T>;
}

/** An edit of what lists show: selection, items. */
export type ContentEdit<T> = Omit<Change<T>, 'objects' | 'targets'> & {
  targets?: Change<T>['targets'];
  /** What else the audit records of it. */
  detail?(value: T): Readonly<Record<string, unknown>>;
};

/** Written in the transaction of the change itself: no audit, no change. */
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
  /** The model the projections are of. */
  model_id: string;
  /** Applies scopes to OpenFGA after the commit, within its own bounds; never throws. */
  applied(scopes: readonly ScopeRef[]): Promise<void>;
}

// Changes of one scope wait for each other here rather than on connections of the pool.
const MAX_WAITING = 100;

/** The one way authority changes: rows, audit, outbox and revisions in one transaction. */
export function createChanges(dependencies: ChangesDependencies) {
  const { database, projections, audit, model_id, applied } = dependencies;
  const inTurn = createTurns(MAX_WAITING);

  /** Takes the turns in the order of the locks, so that no two changes wait for each other. */
  const inTurns = <T>(scopes: readonly ScopeRef[], work: () => Promise<T>): Promise<T> =>
    inLockOrder(scopes).reduceRight((next, scope) => () => inTurn(scopeName(scope), next), work)();

  async function change<T>(wanted: Change<T>): Promise<T> {
    const { writes, objects, targets: units, actor, reason: action } = wanted;
    const result = await inTurns(writes, () =>
      database.transaction(async (transaction) => {
        const locked = await lockScopes(transaction, wanted);
        const before = await projections.project(transaction, objects);
        const value = await wanted.work(transaction);
        const after = await projections.project(transaction, objects);
        await audit(transaction, { actor, action, scope: writes[0], units });
        const scopes = [...new Set(writes.map(scopeName))].map((name) => locked.get(name)!);
        await raiseAll(transaction, scopes, { before, after, change: wanted, model_id });
        return value;
      }),
    );
    await applied(writes);
    return result;
  }

  /** Raises `content` alone: what lists show changed, nobody's authority did. */
  async function editContent<T>(edit: ContentEdit<T>): Promise<T> {
    const { writes, actor, reason: action } = edit;
    return inTurns(writes, () =>
      database.transaction(async (transaction) => {
        const locked = await lockScopes(transaction, edit);
        const value = await edit.work(transaction);
        const units = edit.targets ?? [];
        const detail = edit.detail === undefined ? {} : { detail: edit.detail(value) };
        await audit(transaction, { actor, action, scope: writes[0], units, ...detail });
        for (const scope of locked.values()) await raiseContent(transaction, scope);
        return value;
      }),
    );
  }

  return { change, editContent };
}

type Projected = ReadonlyMap<string, readonly Tuple[]>;

interface Raising {
  before: Projected;
  after: Projected;
  change: Change<unknown>;
  model_id: string;
}

/** Gives each scope its part of the change, to be applied after those before it. */
async function raiseAll(
  transaction: Transaction,
  scopes: readonly LockedScope[],
  { before, after, change, model_id }: Raising,
): Promise<void> {
  const written = new Set(scopes.map(scopeName));
  let previous: Revision | null = null;
  for (const name of new Set([...before.keys(), ...after.keys()]))
    if (!written.has(name) && !isEmpty(deltaOf(name, before, after)))
      throw new TypeError(`${change.reason} moves tuples of ${name}, which it does not write.`);
  for (const scope of scopes) {
    const delta = deltaOf(scopeName(scope), before, after);
    const waits = isEmpty(delta) ? null : previous;
    const raised = await raiseRevision(transaction, scope, splitDelta(delta), {
      ...change,
      model_id,
      after: waits,
    });
    if (!isEmpty(delta)) previous = raised;
  }
}

const deltaOf = (name: string, before: Projected, after: Projected) =>
  difference(before.get(name) ?? [], after.get(name) ?? []);

const isEmpty = ({ deletes, writes }: ReturnType<typeof difference>) =>
  deletes.length + writes.length === 0;
