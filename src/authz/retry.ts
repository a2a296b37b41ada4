import { setTimeout } from 'node:timers/promises';
import { scopeName } from '../caller/scope.ts';
import type { ScopeRef } from '../caller/scope.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import { createMutex } from '../platform/concurrency/mutex.ts';
import { ConcurrentUpdate, ObjectsOmitted } from './concurrent-update.ts';

// No attempt starts in the last two seconds: it would be unlikely to finish before the deadline.
const LAST_TRY_MS = 2_000;
const MAX_WAITING = 100;

export interface Attempts<T> {
  /** Runs the work on the decision made when the request arrived. */
  attempt(): Promise<T>;
  /** Decides again, starting with authentication, then runs the work. */
  retry(): Promise<T>;
  /** Retries for one owner run one at a time: in parallel, all but one would fail each time. */
  owner: ScopeRef | null;
  /** Deadline, in the time of `performance.now()`. */
  until: number;
}

/**
 * Returns a function that retries work whose authority changed between decision and commit. Work that
 * omits objects of its change is retried once, since its list may have been outdated; then it throws a
 * `TypeError`.
 */
export function createRetry() {
  const exclusively = createMutex(MAX_WAITING);

  async function decideAgain<T>({ retry: again, until }: Attempts<T>, first: unknown): Promise<T> {
    let omitted = first instanceof ObjectsOmitted;
    while (performance.now() < until - LAST_TRY_MS) {
      try {
        return await again();
      } catch (error) {
        if (!(error instanceof ConcurrentUpdate)) throw error;
        if (error instanceof ObjectsOmitted && omitted)
          throw new TypeError(error.message, { cause: error });
        omitted ||= error instanceof ObjectsOmitted;
        await setTimeout(5 + Math.random() * 45);
      }
    }
    throw unavailable('authorization data kept changing');
  }

  return async function retry<T>(attempts: Attempts<T>): Promise<T> {
    try {
      return await attempts.attempt();
    } catch (error) {
      if (!(error instanceof ConcurrentUpdate)) throw error;
      const again = () => decideAgain(attempts, error);
      return attempts.owner === null ? again() : exclusively(scopeName(attempts.owner), again);
    }
  };
}
