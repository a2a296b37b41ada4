import { setTimeout } from 'node:timers/promises';
import { scopeName } from '../../caller/scope.ts';
import type { Principal } from '../../caller/principal.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import { createFairQueue } from '../../platform/concurrency/fair-queue.ts';
import { isRefusal, unavailable } from '../../platform/errors/refusal.ts';
import { ConcurrentUpdate, ObjectsOmitted } from './concurrent-update.ts';

// No attempt starts in the last two seconds: it would be unlikely to finish before the deadline.
const LAST_TRY_MS = 2_000;
// A longer request, such as an import, runs on while the next one tries.
const TURN_MS = 250;
const QUEUE = { size: 1, maxWaiting: 1_000, maxWaitingPerKey: 100 };

/** The scope that a change competes for, and the credential that makes it. */
export interface Contended {
  scope: ScopeRef;
  /** Those who change the same scope take turns fairly. */
  by: string;
}

/** Returns what the changes of a caller compete for: the organization they are in, or the account. */
export const contendedBy = ({
  organization,
  quota_owner,
  credential,
}: Pick<Principal, 'organization' | 'quota_owner' | 'credential'>): Contended => ({
  scope: organization === null ? quota_owner : { kind: 'organization', id: organization.id },
  by: credential.id,
});

/** Work that is repeated with a new decision. */
export interface Retried<T> {
  /** Runs the work on the decision made when the request arrived. */
  attempt(): Promise<T>;
  /** Decides again, starting with authentication, then runs the work. */
  retry(): Promise<T>;
  /**
   * Once a change of this scope has failed, its changes take turns: in parallel, all but one would
   * fail each time, and new ones would pass them. Null for what changes nothing.
   */
  contended: Contended | null;
  /** Deadline, in the time of `performance.now()`. */
  until: number;
}

export type Retry = <T>(attempts: Retried<T>) => Promise<T>;

/**
 * Creates a function that retries work whose authority changed between decision and commit. Work that
 * omits objects of its change is retried once, since its list may have been outdated; then it throws a
 * `TypeError`.
 */
export function createRetry(): Retry {
  const turns = createTurns();

  async function decideAgain<T>(
    { retry: again, until }: Retried<T>,
    first: ConcurrentUpdate | null,
  ): Promise<T> {
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
    throw keptChanging();
  }

  return async function retry<T>(attempts: Retried<T>): Promise<T> {
    const { contended, until } = attempts;
    if (contended !== null && turns.isTaken(contended))
      return turns.take(contended, until, () => decideAgain(attempts, null));
    try {
      return await attempts.attempt();
    } catch (error) {
      if (!(error instanceof ConcurrentUpdate)) throw error;
      const again = () => decideAgain(attempts, error);
      return contended === null ? again() : turns.take(contended, until, again);
    }
  };
}

const keptChanging = () => unavailable('authorization data kept changing');

/**
 * Creates turns at scopes. A turn begins when the one before has ended, or has lasted too long; who
 * makes many changes delays others by one turn at a time.
 */
function createTurns() {
  const taken = new Map<string, { queue: ReturnType<typeof createFairQueue>; changes: number }>();
  const createTurn = () => {
    const createBusyError = () => unavailable('too many changes of one scope wait');
    return { queue: createFairQueue({ ...QUEUE, createBusyError }), changes: 0 };
  };
  return {
    /** Whether a turn at this scope runs or waits. */
    isTaken: ({ scope }: Contended) => taken.has(scopeName(scope)),
    /** Runs the work in its turn; throws if that does not come in time. */
    async take<T>({ scope, by }: Contended, until: number, work: () => Promise<T>): Promise<T> {
      const name = scopeName(scope);
      const turns = taken.get(name) ?? createTurn();
      taken.set(name, turns);
      turns.changes += 1;
      try {
        const waitMs = Math.max(0, Math.ceil(until - LAST_TRY_MS - performance.now()));
        const signal = AbortSignal.timeout(waitMs);
        await turns.queue.enter({ fairnessKey: by, signal }).catch((error: unknown) => {
          throw isRefusal(error) ? error : keptChanging();
        });
        const result = work();
        const ended = Promise.race([result.catch(() => {}), setTimeout(TURN_MS)]);
        void ended.then(() => turns.queue.leave({ fairnessKey: by }));
        return await result;
      } finally {
        turns.changes -= 1;
        if (turns.changes === 0) taken.delete(name);
      }
    },
  };
}
