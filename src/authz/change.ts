import type { Action } from '../caller/actions.ts';
import type { Actor } from '../caller/actor.ts';
import { scopeName } from '../caller/scope.ts';
import type { ScopeRef, ScopeState } from '../caller/scope.ts';
import type { Connection, Database, Transaction } from '../platform/database.ts';
import { createTurns } from '../platform/turns.ts';
import { lockScope, raiseContent, raiseRevision, shareScopes } from './store.ts';
import type { LockedScope } from './store.ts';
import { difference, splitDelta } from './tuple.ts';
import type { Tuple, Unit } from './tuple.ts';

export interface Change<T> {
  actor: Actor;
  /** What happened, as audit and change log show it. */
  reason: Action;
  scope: ScopeRef;
  /** A function is asked under the lock of the scope, where nobody else makes another. */
  units: readonly Unit[] | ((connection: Connection) => Promise<readonly Unit[]>);
  /**
   * The stamps the decision to allow this stood on; `Moved` is thrown when they no longer do.
   * Null for what ownership alone decides (own revocation, sign-up): works in a dirty scope.
   */
  basis: readonly ScopeState[] | null;
  work(transaction: Transaction): Promise<T>;
}

/** An edit of what lists show: selection, items. */
export type ContentEdit<T> = Pick<Change<T>, 'actor' | 'reason' | 'scope' | 'work'> & {
  /** What was edited, for the audit, and what else there is to tell of it. */
  targets?: readonly { type: string; id: string }[];
  detail?(value: T): Readonly<Record<string, unknown>>;
};

/** Authority moved between the decision and the commit: decide again, from authentication on. */
export class Moved extends Error {
  constructor() {
    super('authority moved while it was used');
    this.name = 'Moved';
  }
}

/** The pure projection of a unit's rows, read in the given transaction. */
export type Project = (connection: Connection, unit: Unit) => Promise<Tuple[]>;

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
  project: Project;
  audit: RecordAudit;
  /** Applies to OpenFGA after the commit, within its own bounds; never throws. */
  applied(scope: ScopeRef): Promise<void>;
}

// Mutations of one scope wait for each other here rather than on connections of the pool.
const MOST_WAITING = 100;

/** The one way authority changes: rows, audit, outbox and revision in one transaction. */
export function createChanges(dependencies: ChangesDependencies) {
  const { database, project, audit, applied } = dependencies;
  const inTurn = createTurns(MOST_WAITING);

  async function projectAll(connection: Connection, units: readonly Unit[]): Promise<Tuple[]> {
    const tuples: Tuple[] = [];
    for (const unit of units) tuples.push(...(await project(connection, unit)));
    return tuples;
  }

  async function change<T>(wanted: Change<T>): Promise<T> {
    const { scope } = wanted;
    const result = await inTurn(scopeName(scope), () =>
      database.transaction(async (transaction) => {
        const locked = await lockScope(transaction, scope);
        if (wanted.basis) await holdBasis(transaction, wanted.basis, locked);
        const units =
          typeof wanted.units === 'function' ? await wanted.units(transaction) : wanted.units;
        const before = await projectAll(transaction, units);
        const value = await wanted.work(transaction);
        const after = await projectAll(transaction, units);
        await audit(transaction, { actor: wanted.actor, action: wanted.reason, scope, units });
        await raiseRevision(transaction, locked, splitDelta(difference(before, after)), wanted);
        return value;
      }),
    );
    await applied(scope);
    return result;
  }

  /** Raises `content` alone: what lists show changed, nobody's authority did. */
  async function editContent<T>(edit: ContentEdit<T>): Promise<T> {
    const { scope, actor, reason: action } = edit;
    return inTurn(scopeName(scope), () =>
      database.transaction(async (transaction) => {
        await lockScope(transaction, scope);
        const value = await edit.work(transaction);
        const units = edit.targets ?? [];
        const told = edit.detail === undefined ? {} : { detail: edit.detail(value) };
        await audit(transaction, { actor, action, scope, units, ...told });
        await raiseContent(transaction, scope);
        return value;
      }),
    );
  }

  return { change, editContent };
}

async function holdBasis(
  transaction: Transaction,
  basis: readonly ScopeState[],
  locked: LockedScope,
): Promise<void> {
  const isLocked = (scope: ScopeRef) => scope.kind === locked.kind && scope.id === locked.id;
  const shared = await shareScopes(
    transaction,
    basis.filter((scope) => !isLocked(scope)),
  );
  for (const now of [locked, ...shared]) {
    const then = basis.find((scope) => scope.kind === now.kind && scope.id === now.id);
    if (now.applied < now.revision) throw new Moved();
    if (then && then.stamp !== now.stamp) throw new Moved();
  }
}
