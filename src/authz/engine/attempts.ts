import { setTimeout } from 'node:timers/promises';
import { FgaApiError } from '@openfga/sdk';
import { createBreaker } from '../../platform/concurrency/breaker.ts';
import { withTimeout } from '../../platform/concurrency/within.ts';
import { unavailable } from '../../platform/errors/refusal.ts';
import type { Log } from '../../platform/observability/log.ts';
import { createInterruptions } from './interruptions.ts';

type Run<T> = () => Promise<T>;

export const RETRY_MS = 50;

/** Creates the functions that run requests to OpenFGA, with deadlines and a circuit breaker. */
export function createAttempts(deadlineMs: number, log: Log | undefined) {
  const interruptions = createInterruptions();
  /** Latest start of a request that was answered. */
  let answeredFrom = performance.now();
  const breaker = createBreaker({
    now: () => performance.now(),
    onOpen: (cause) =>
      log?.error({ err: cause }, 'OpenFGA unreachable; uncached decisions are refused with 503'),
    onClose: () => log?.warn('OpenFGA reachable again'),
  });

  async function attemptOnce<T>(run: Run<T>): Promise<T> {
    const startedAt = performance.now();
    let isLate = false;
    const timeoutError = () => {
      isLate = true;
      return authzUnavailable('OpenFGA request timed out');
    };
    try {
      const answer = await withTimeout(run(), deadlineMs, timeoutError);
      answeredFrom = Math.max(answeredFrom, startedAt);
      return answer;
    } catch (error) {
      if (isClientError(error)) answeredFrom = Math.max(answeredFrom, startedAt);
      // One slow request is no interruption while a later one is answered; a lost connection is.
      else if (!isLate || answeredFrom <= startedAt)
        interruptions.record(Math.min(answeredFrom, startedAt));
      throw error;
    }
  }

  async function attemptTwice<T>(run: Run<T>): Promise<T> {
    try {
      return await attemptOnce(run);
    } catch (error) {
      if (isClientError(error) && !isRateLimited(error)) throw error;
      await setTimeout(RETRY_MS);
      return attemptOnce(run);
    }
  }

  return {
    attemptOnce,
    /** Runs a request; by default, again if there is no response, which is right for reads. */
    async attempt<T>(run: Run<T>, tries: (run: Run<T>) => Promise<T> = attemptTwice): Promise<T> {
      const permit = breaker.enter();
      if (permit === null) throw authzUnavailable('OpenFGA unreachable (circuit breaker open)');
      try {
        const answer = await tries(run);
        permit.reportSuccess();
        return answer;
      } catch (error) {
        // A 4xx is a response; only 5xx, timeouts and lost connections are an outage.
        if (isClientError(error)) permit.reportSuccess();
        else permit.reportFailure(error);
        throw error;
      }
    },
    interruptions,
    isUnreachable: breaker.isOpen,
  };
}

const isClientError = (error: unknown): error is FgaApiError =>
  error instanceof FgaApiError && error.statusCode !== undefined && error.statusCode < 500;
const isRateLimited = (error: FgaApiError) => error.statusCode === 429;

/** Creates the refusal of a decision that OpenFGA could not answer; `reason` is only logged. */
export const authzUnavailable = (reason: string, cause?: unknown) =>
  unavailable(reason, cause, 'The authorization service is unavailable.');
