import { setTimeout } from 'node:timers/promises';
import { scopeName } from '../../caller/scope.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { Engine } from '../engine/client.ts';
import { withFence, readFence } from './fence.ts';
import { isAtOrAfter, markApplied, markStuck, listPendingParts } from './store.ts';
import type { OutboxPart } from './store.ts';

/** Applies a scope's pending changes to OpenFGA, exactly once and in order. */
export interface Appliers {
  /** Returns true once nothing is pending; false on a timeout, an error or a stuck scope. */
  apply(scope: ScopeRef, withinMs: number): Promise<boolean>;
}

export interface AppliersDependencies {
  /** A separate pool: appliers must not wait behind the requests that wait for them. */
  database: Database;
  engine: Engine;
  log: Log;
  /** Number of scopes applied at a time. */
  maxConcurrent?: number;
}

type Step = 'done' | 'retry' | 'closed';
const RETRY_MS = 20;
// Short, so that changes take effect soon after OpenFGA or PostgreSQL is back.
const MAX_RETRY_MS = 200;

export function createAppliers({
  database,
  engine,
  log,
  maxConcurrent = 4,
}: AppliersDependencies): Appliers {
  const runs = new Map<string, Promise<boolean>>();
  const withSlot = createSemaphore({ maxConcurrent, maxQueued: 1_000 });

  /** Applies one part. If its Write is refused, the fence shows whether it was applied before. */
  async function applyPart(scope: ScopeRef, part: OutboxPart, until: number): Promise<Step> {
    // A change is committed after all changes it waits for, so this recursion terminates.
    const first = part.after && (await applyWaiting(part.after, until, part.after.seq));
    if (first === 'closed') return close(scope, part, 'scope is stuck behind another stuck scope');
    if (first === 'retry') return 'retry';
    const outcome = await engine.write({ ...withFence(scope, part), model_id: part.model_id });
    if (outcome === 'unknown') return 'retry';
    if (outcome === 'invalid') return close(scope, part, 'OpenFGA rejected a change as invalid');
    if (outcome === 'refused') {
      const storedFence = await readFence(engine, scope);
      if (!(await isAtOrAfter(database.pool, { ...scope, ...part }, storedFence)))
        return close(scope, part, 'tuples of a scope have drifted');
    }
    await markApplied(database.pool, scope, part);
    return 'done';
  }

  /** Marks a scope as stuck: retries cannot help. Only this scope stays closed; logged once. */
  async function close(scope: ScopeRef, { seq }: OutboxPart, message: string): Promise<Step> {
    if (await markStuck(database.pool, scope))
      log.error({ scope: scopeName(scope), seq }, `${message}. Run: toolgate drift --repair`);
    return 'closed';
  }

  /** Applies the pending parts of a scope, up to one revision. */
  async function applyWaiting(scope: ScopeRef, until: number, upTo?: number): Promise<Step> {
    for (;;) {
      const parts = await listPendingParts(database.pool, scope, upTo);
      if (parts.length === 0) return 'done';
      for (const part of parts) {
        const step = await applyPart(scope, part, until);
        if (step !== 'done') return step;
      }
      if (performance.now() > until) return 'retry';
    }
  }

  async function applyAll(scope: ScopeRef, until: number): Promise<boolean> {
    for (let delay = RETRY_MS; ; delay = Math.min(delay * 2, MAX_RETRY_MS)) {
      const step = await applyWaiting(scope, until);
      if (step === 'done') return true;
      // The slot is for other scopes while OpenFGA is known to be unreachable.
      if (step === 'closed' || engine.isUnreachable() || performance.now() + delay > until)
        return false;
      await sleep(delay * (0.5 + Math.random()));
    }
  }

  function start(scope: ScopeRef, name: string, until: number): Promise<boolean> {
    const work = withSlot(() => applyAll(scope, until))
      .catch((error: unknown) => {
        log.warn({ err: error, scope: name }, 'change not applied to OpenFGA yet; will retry');
        return false;
      })
      .finally(() => void runs.delete(name));
    runs.set(name, work);
    return work;
  }

  return {
    async apply(scope, withinMs) {
      const name = scopeName(scope);
      const until = performance.now() + withinMs;
      // Joining an earlier run is not enough: it may have read the outbox before our change.
      const joined = runs.get(name);
      if (joined) await Promise.race([joined, sleep(withinMs)]);
      const work = runs.get(name) ?? start(scope, name, until);
      const remaining = Math.max(0, until - performance.now());
      return Promise.race([work, sleep(remaining).then(() => false)]);
    },
  };
}

const sleep = (milliseconds: number) => setTimeout(milliseconds, undefined, { ref: false });
