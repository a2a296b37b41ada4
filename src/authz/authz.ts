import { scopeName } from '../caller/scope.ts';
import type { Principal } from '../caller/principal.ts';
import type { ScopeRef, ScopeState } from '../caller/scope.ts';
import type { Capability } from './permissions.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Events } from '../platform/redis/events.ts';
import type { Log } from '../platform/observability/log.ts';
import { createAppliers } from './changes/apply.ts';
import type { Appliers } from './changes/apply.ts';
import { createChanges } from './changes/change.ts';
import type { Change, Edit, RecordAudit } from './changes/change.ts';
import type { Engine } from './engine/client.ts';
import { createContext } from './decisions/context.ts';
import type { AccessContext } from './decisions/context.ts';
import { requireCovered } from './decisions/coverage.ts';
import { createRequireCurrent } from './changes/current.ts';
import { createDecisions } from './decisions/decisions.ts';
import type { Check, CheckedCaller } from './decisions/decisions.ts';
import { createExplain } from './decisions/explain.ts';
import type { Explain } from './decisions/explain.ts';
import { ConcurrentUpdate } from './changes/concurrent-update.ts';
import type { Projections } from './changes/projections.ts';
import { createCatchUp } from './changes/catch-up.ts';
import { createRehearsal } from './changes/rehearsal.ts';
import type { Rehearse } from './changes/rehearsal.ts';
import { createRetry } from './changes/retry.ts';
import type { Retry } from './changes/retry.ts';
import { createForeignWrites } from './foreign-writes/watch.ts';
import { createStoreWatch } from './drift/store-watch.ts';
import { withinToken } from './decisions/token-scopes.ts';
import { createWorker } from './changes/worker.ts';

export { scopeDescription } from './decisions/scope-description.ts';
export { ConcurrentUpdate };
export { contendedBy } from './changes/retry.ts';
export type { Contended } from './changes/retry.ts';
export { createRetry };
export type { Retry };
export { capturing, problemsOf, requestedBy } from './changes/rehearsal.ts';
export type { Rehearse, Rehearsed, Requested } from './changes/rehearsal.ts';
export { wasAsked } from './decisions/decisions.ts';
export { missingScope } from './decisions/token-scopes.ts';
export { decideOnObject } from './decisions/object-access.ts';
export type { CheckObject, ObjectCaller } from './decisions/object-access.ts';
export { flagTuple, systemRoles } from './system-roles.ts';
export type { AccessContext, Change, Check, RecordAudit };
export type { Proof } from './decisions/evaluator.ts';
export type { Projection, ProjectSlice } from './changes/projections.ts';
export { ONLY_IN_CHANGES } from './changes/touched.ts';
export type { ProjectedTables } from './changes/touched.ts';
export type { Actor } from '../caller/actor.ts';
export type { Slice, Tuple } from './tuple.ts';

export interface Authz {
  readonly modelId: string;
  /**
   * Checks relations on one object, by default the caller's context object. `scopes`, by default
   * the caller's, are those that the request's single query read for the object. Throws
   * `unavailable` instead of denying if no decision is possible, and a TypeError if the scopes do
   * not cover the object.
   */
  check(
    caller: CheckedCaller,
    relations: readonly string[],
    object?: string,
    scopes?: readonly ScopeState[],
  ): Promise<ReadonlyMap<string, boolean>>;
  /** Checks several objects in one batch; returns the results in order. */
  checkEach(
    caller: CheckedCaller,
    checks: readonly Check[],
    scopes?: readonly ScopeState[],
  ): Promise<readonly boolean[]>;
  /**
   * Returns the caller's access context, the same object until its authority changes. `seats` are
   * the team seats to check for `active`. `onCheck` is called before OpenFGA is asked, for work that
   * can be done meanwhile.
   */
  context(
    caller: Principal,
    seats?: readonly string[],
    onCheck?: () => void,
  ): Promise<AccessContext>;
  /**
   * Returns an object that is the same until all decisions are dropped, because they may have come
   * from another store; what was derived from them must be dropped with them. Throws `unavailable`
   * while OpenFGA's store does not match this database.
   */
  generation(): object;
  /** Returns the tuples behind a decision, for callers who may see them. */
  explain: Explain;
  /**
   * The same checks without the cache: reports that ask for everyone displace none of the decisions
   * that requests use.
   */
  uncached: Checks & {
    /** Returns contexts that ask about some capabilities only, and have none of the others. */
    contextOf(asked: readonly Capability[]): Authz['context'];
  };
  change<T>(change: Change<T>): Promise<T>;
  /** Runs an edit of what lists and reads over MCP show; wakes streams after the commit. */
  editContent<T>(edit: Edit<T>): Promise<T>;
  /** Runs an edit of data that MCP does not show: wakes no stream and invalidates no list. */
  edit<T>(edit: Edit<T>): Promise<T>;
  /**
   * Returns the age in seconds of the oldest pending change (≥ 5 is unhealthy) and the number of
   * stuck scopes, which stay closed until they are repaired.
   */
  backlog(): Promise<{ seconds: number; stuck: number }>;
  /**
   * Throws `ConcurrentUpdate` if authority or content of a scope has changed since it was read.
   */
  requireCurrent(scope: ScopeState): Promise<void>;
  /** Makes a requested change, observes what it changes, and rolls it back. */
  rehearse: Rehearse;
  /** Retries what is decided again; all changes through this gateway take turns in one queue. */
  retry: Retry;
  /** Finds changes of tuples that bypassed the gateways. */
  foreignWrites: Pick<ReturnType<typeof createForeignWrites>, 'compare' | 'count' | 'isWarned'>;
  /** Rejects unless OpenFGA responds and its store matches this database. */
  requireStore(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export interface AuthzDependencies {
  database: Database;
  /** A pool for the appliers only. */
  appliersDatabase: Database;
  engine: Engine;
  events: Events;
  projections: Projections;
  audit: RecordAudit;
  cached: boolean;
  log: Log;
}

// Attempts for which a change waits to be applied: 1,000 ms by default.
const APPLY_ATTEMPTS = 2;

export function createAuthz(dependencies: AuthzDependencies): Authz {
  const { database, events, log, projections, audit } = dependencies;
  const own = { database: dependencies.appliersDatabase, log };
  const onChange = () => decisions.clear();
  const watch = createStoreWatch({ ...own, engine: dependencies.engine, onChange });
  const engine = watch.compared;
  const decisions = withinToken(createDecisions(engine, dependencies.cached));
  const shared = { ...own, engine };
  const appliers = createAppliers(shared);
  const catchUp = createCatchUp({ database, appliers, engine });
  const changes = createChanges({
    database,
    catchUp,
    projections,
    audit,
    model_id: engine.tupleModelId,
    applyWritten: (scopes) => applyInOrder(scopes, { appliers, engine, events, log }),
  });
  // The worker has its own appliers: its backlog must not delay requests that wait for a change.
  const workerAppliers = createAppliers({ ...shared, maxConcurrent: 2 });
  const worker = createWorker({ ...shared, appliers: workerAppliers });
  const { requireMatch } = watch;
  const foreignWrites = createForeignWrites({ ...shared, projections, audit, requireMatch });

  const checked = { requireMatch: watch.requireMatch, catchUp };

  return {
    modelId: engine.modelId,
    ...createChecks({ ...checked, decisions }),
    uncached: createChecks({ ...checked, decisions: withinToken(createDecisions(engine, false)) }),
    generation: watch.requireMatch,
    explain: createExplain(engine),
    change: changes.change,
    edit: changes.edit,
    async editContent(edit) {
      const value = await changes.editContent(edit);
      for (const scope of edit.writes) events.publish(scopeName(scope));
      return value;
    },
    requireCurrent: createRequireCurrent(database),
    rehearse: createRehearsal({ database, engine, projections }),
    retry: createRetry(),
    backlog: worker.backlog,
    foreignWrites,
    requireStore: watch.requireStore,
    start() {
      worker.start();
      watch.start();
      foreignWrites.start();
    },
    async stop() {
      watch.stop();
      await Promise.all([worker.stop(), foreignWrites.stop()]);
    },
  };
}

type Checks = Pick<Authz, 'check' | 'checkEach' | 'context'>;

interface ChecksDependencies {
  decisions: ReturnType<typeof createDecisions>;
  requireMatch(): object;
  catchUp(scopes: readonly ScopeState[]): Promise<void>;
}

/** Creates the checks, which apply pending changes first and refuse a store that does not match. */
function createChecks({ decisions, requireMatch, catchUp }: ChecksDependencies): Authz['uncached'] {
  async function requireCaughtUp(objects: readonly string[], scopes: readonly ScopeState[]) {
    for (const object of objects) requireCovered(object, scopes);
    requireMatch();
    await catchUp(scopes);
  }

  const check: Authz['check'] = async (
    caller,
    relations,
    object = caller.context,
    scopes = caller.scopes,
  ) => {
    await requireCaughtUp([object], scopes);
    return decisions.check({ ...caller, scopes }, relations, object);
  };

  const checkEach: Authz['checkEach'] = async (caller, checks, scopes = caller.scopes) => {
    const objects = checks.map(({ object }) => object);
    await requireCaughtUp(objects, scopes);
    return decisions.checkEach({ ...caller, scopes }, checks);
  };

  const contextOf = (asked?: readonly Capability[]) =>
    createContext({
      async cached(caller) {
        await requireCaughtUp([caller.context], caller.scopes);
        return decisions.cached(caller);
      },
      checkEach,
      ...(asked === undefined ? {} : { asked }),
    });

  return { check, checkEach, context: contextOf(), contextOf };
}

/** Applies a change to its scopes, in order; what takes too long is left to the worker. */
async function applyInOrder(
  scopes: readonly ScopeRef[],
  {
    appliers,
    engine,
    events,
    log,
  }: Pick<AuthzDependencies, 'engine' | 'events' | 'log'> & { appliers: Appliers },
): Promise<void> {
  const until = performance.now() + APPLY_ATTEMPTS * engine.deadlineMs;
  for (const scope of scopes) {
    if (!(await appliers.apply(scope, Math.max(0, until - performance.now()))))
      log.warn({ scope: scopeName(scope) }, 'not yet applied to OpenFGA; scope closed');
    events.publish(scopeName(scope));
  }
}
