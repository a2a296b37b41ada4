import { setTimeout } from 'node:timers/promises';
import { scopeName } from '../caller/scope.ts';
import type { ScopeRef } from '../caller/scope.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import { createTurns } from '../platform/concurrency/turns.ts';
import { ConcurrentUpdate } from './locks.ts';

// What is tried later than this before its end would hardly be over by then.
const LAST_TRY_MS = 2_000;
const MAX_WAITING = 100;

export interface Attempts<T> {
  /** Works on the decision that was made when the request came in. */
  first(): Promise<T>;
  /** Decides again, from authentication on, then works. */
  again(): Promise<T>;
  /** Whose attempts take turns: side by side, all but one would be overtaken each time. */
  owner: ScopeRef | null;
  /** When its time is up, on the clock of `performance`. */
  until: number;
}

/** Runs work until no authority moves between its decision and its commit. */
export function createRetry() {
  const inTurn = createTurns(MAX_WAITING);

  async function decideAgain<T>({ again, until }: Attempts<T>): Promise<T> {
    while (performance.now() < until - LAST_TRY_MS) {
      try {
        return await again();
      } catch (error) {
        if (!(error instanceof ConcurrentUpdate)) throw error;
        await setTimeout(5 + Math.random() * 45);
      }
    }
    throw unavailable('authority kept moving');
  }

  return async function retry<T>(attempts: Attempts<T>): Promise<T> {
    try {
      return await attempts.first();
    } catch (error) {
      if (!(error instanceof ConcurrentUpdate)) throw error;
      const again = () => decideAgain(attempts);
      return attempts.owner === null ? again() : inTurn(scopeName(attempts.owner), again);
    }
  };
}
