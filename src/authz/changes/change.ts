import type { Action } from '../../caller/actions.ts';
import type { Actor } from '../../caller/actor.ts';
import type { Confirm } from '../../caller/progress.ts';
import { scopeName } from '../../caller/scope.ts';
import type { NewScope, ScopeRef, ScopeState } from '../../caller/scope.ts';
import type { Database, Transaction } from '../../platform/postgres/database.ts';
import { createMutex } from '../../platform/concurrency/mutex.ts';
import { DirtyScopes, inLockOrder, lockScopes } from './locks.ts';
import type { LockRequest } from './locks.ts';
import type { Projections } from './projections.ts';
import { raiseContent, raiseRevision } from './store.ts';
import type { LockedScope, LockPurpose, Revision } from './store.ts';
import { requireListed } from './touched.ts';
import { difference, isEmpty, splitDelta } from '../tuple.ts';
import type { Delta, Slice, Tuple } from '../tuple.ts';

export interface Change<T> {
  actor: Actor;
  /** The action, as recorded in the audit log and the outbox. */
  reason: Action;
  /**
   * Every scope that the change writes; the audit log gets an entry for each. They are applied to
   * OpenFGA strictly in this order, so list scopes that lose authority first.
   */
  writes: readonly [ScopeRef, ...ScopeRef[]];
  /**
   * Scopes in `writes` to create if they do not exist. Writing any other missing scope is a bug.
   */
  creates?: readonly NewScope[];
  /**
   * The tuples that may change in OpenFGA; each object belongs to one of the written scopes. A
   * change that touches rows of an object that is not listed throws `ObjectsOmitted`.
   */
  objects: readonly Slice[];
  /** Objects that the action was performed on, for the audit log. */
  targets: readonly { type: string; id: string }[];
  /**
   * The scopes on which the decision to allow the change was based; if one has changed or was
   * deleted, `ConcurrentUpdate` is thrown. Null if ownership alone decides (revoking one's own
   * credential, sign-up): the change then works in a dirty scope too.
   */
  basis: readonly ScopeState[] | null;
  work(transaction: Transaction): Promise<T>;
  /** Called last in the transaction; if it throws, nothing is saved. */
  confirm?: Confirm;
  /** Declared by a change that deletes the actor's session, and checks itself that it is live. */
  deletes_session?: true;
  /**
   * Returns details for the audit entry of a scope: only what concerns its organization, or
   * everything for the entry of an account, where `organization_id` is null.
   */
  detail?(value: T, organization_id: string | null): Readonly<Record<string, unknown>>;
}

/** An edit of rows that no decision depends on, such as items, or the name of an organization. */
export type Edit<T> = Omit<Change<T>, 'objects' | 'targets' | 'creates' | 'deletes_session'> & {
  targets?: Change<T>['targets'];
};

/** Writes a change's audit entries in its transaction; if that fails, so does the change. */
export type RecordAudit = (
  transaction: Transaction,
  entries: readonly AuditEntry[],
) => Promise<void>;

interface AuditEntry {
  actor: Actor;
  action: Action;
  scope: ScopeRef;
  /** The organization whose audit log lists the entry. */
  organization_id: string | null;
  units: readonly { type: string; id: string }[];
  detail?: Readonly<Record<string, unknown>>;
  deletes_session: boolean;
}

export interface ChangesDependencies {
  database: Database;
  projections: Projections;
  audit: RecordAudit;
  /** The model that the projections are written for. */
  model_id: string;
  /** Applies the pending changes of dirty scopes, or throws `unavailable`. */
  catchUp(scopes: readonly ScopeState[]): Promise<void>;
  /**
   * Applies the written scopes to OpenFGA after the commit, within its own time limit; never
   * throws.
   */
  applyWritten(scopes: readonly ScopeRef[]): Promise<void>;
}

// Changes to one scope queue here, so that those that wait occupy no pool connection.
const MAX_WAITING = 100;

/**
 * The only way to change authority: writes rows, audit entries, outbox and revisions in one
 * transaction.
 */
export function createChanges(dependencies: ChangesDependencies) {
  const { database, projections, audit, model_id, catchUp, applyWritten } = dependencies;
  const decisionMutex = createMutex(MAX_WAITING);
  // Separate queues: a change that ownership alone decides, such as a revocation, must not queue
  // behind one that waits for dirty scopes.
  const ownerMutex = createMutex(MAX_WAITING);

  /**
   * Runs a transaction that locks the scopes. With a basis, applies the pending changes of dirty
   * scopes first. Takes the mutexes in lock order, so that no two changes deadlock.
   */
  function withLocks<T>(
    purpose: Exclude<LockPurpose, 'read'>,
    request: LockRequest,
    work: (transaction: Transaction, locked: ReadonlyMap<string, LockedScope>) => Promise<T>,
  ): Promise<T> {
    const exclusively = request.basis === null ? ownerMutex : decisionMutex;
    const attempt = () =>
      database.transaction(async (transaction) =>
        work(transaction, await lockScopes(transaction, purpose, request)),
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
    const { writes, objects, actor, reason: action } = requested;
    const result = await withLocks('change', requested, async (transaction, locked) => {
      const before = await projections.project(transaction, objects);
      const value = await requested.work(transaction);
      await requireListed(transaction, requested, projections.tables);
      const deltas = deltasOf(before, await projections.project(transaction, objects));
      requireWritten(action, deltas.keys(), locked);
      let previous: Revision | null = null;
      const scopes = [...byName(writes).keys()].map((name) => locked.get(name)!);
      await audit(transaction, entriesOf(draftOf(requested, value), scopes));
      for (const scope of scopes) {
        const delta = deltas.get(scopeName(scope));
        const raised: Revision = await raiseRevision(
          transaction,
          scope,
          splitDelta(delta ?? { deletes: [], writes: [] }),
          { actor, reason: action, model_id, after: delta ? previous : null },
        );
        if (delta) previous = raised;
      }
      await requested.confirm?.(transaction);
      return value;
    });
    await applyWritten(writes);
    return result;
  }

  /** Increments no counter: neither lists nor authority have changed. */
  function edit<T>(requested: Edit<T>): Promise<T> {
    return withLocks('edit', requested, async (transaction) => {
      const value = await requested.work(transaction);
      const scopes = [...byName(requested.writes).values()].map(withAuditedOrganization);
      await audit(transaction, entriesOf(draftOf(requested, value), scopes));
      await requested.confirm?.(transaction);
      return value;
    });
  }

  /** Increments only `content`: lists have changed, authority has not. */
  const editContent = <T>(requested: Edit<T>) => edit(raisingContent(requested));

  return { change, edit, editContent };
}

const raisingContent = <T>(edit: Edit<T>): Edit<T> => ({
  ...edit,
  async work(transaction) {
    const value = await edit.work(transaction);
    await raiseContent(transaction, edit.writes);
    return value;
  },
});

/** The shared fields of a change's audit entries, and the detail of each organization's entry. */
type AuditDraft = Omit<AuditEntry, 'scope' | 'organization_id' | 'detail'> & {
  detailFor(organization_id: string | null): Pick<AuditEntry, 'detail'>;
};

type AuditedScope = ScopeRef & Pick<AuditEntry, 'organization_id'>;

/**
 * Returns an edited scope with the organization whose audit log lists the edit; edits in members'
 * own spaces are not listed.
 */
const withAuditedOrganization = ({ kind, id }: ScopeRef): AuditedScope => ({
  ...{ kind, id },
  organization_id: kind === 'organization' ? id : null,
});

/** Returns an entry for each scope; an organization's audit log lists only the first of its own. */
function entriesOf(
  { detailFor, ...entry }: AuditDraft,
  scopes: readonly AuditedScope[],
): AuditEntry[] {
  const listed = new Set<string | null>();
  return scopes.map(({ kind, id, organization_id: organization }) => {
    const organization_id = listed.has(organization) ? null : organization;
    listed.add(organization);
    return { ...entry, ...detailFor(organization), scope: { kind, id }, organization_id };
  });
}

/** Returns what the audit entries of all scopes have in common. */
const draftOf = <T>(
  requested: Pick<Change<T>, 'actor' | 'reason' | 'detail' | 'deletes_session'> & {
    targets?: Change<T>['targets'];
  },
  value: T,
): AuditDraft => ({
  actor: requested.actor,
  action: requested.reason,
  units: requested.targets ?? [],
  deletes_session: requested.deletes_session ?? false,
  detailFor: detailOf(requested, value),
});

const detailOf =
  <T>({ detail }: Pick<Change<T>, 'detail'>, value: T) =>
  (organization_id: string | null) =>
    detail === undefined ? {} : { detail: detail(value, organization_id) };

/** Returns each scope once, by name and in the given order. */
const byName = (scopes: readonly ScopeRef[]) =>
  new Map(scopes.map((scope) => [scopeName(scope), scope]));

type Projected = ReadonlyMap<string, readonly Tuple[]>;

/** Throws if a scope whose tuples are changed is not among the locked ones: a defect. */
function requireWritten(
  action: Action,
  changed: Iterable<string>,
  locked: ReadonlyMap<string, LockedScope>,
): void {
  for (const name of changed)
    if (!locked.has(name))
      throw new TypeError(`${action} changes tuples of ${name}, which is missing from its writes.`);
}

/** Returns the changed tuples of each scope, by scope name; unchanged scopes are left out. */
function deltasOf(before: Projected, after: Projected): Map<string, Delta> {
  const deltas = new Map<string, Delta>();
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const delta = difference(before.get(name) ?? [], after.get(name) ?? []);
    if (!isEmpty(delta)) deltas.set(name, delta);
  }
  return deltas;
}
