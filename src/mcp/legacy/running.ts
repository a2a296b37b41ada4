import { CancellationSource } from '../cancellation.ts';
import type { Cancellation } from '../cancellation.ts';
import type { Exchange } from './exchange.ts';

export interface Job {
  cancellation: Cancellation;
  end(): void;
}

/** What this instance answers and runs, for sessions of any instance. */
export interface Running {
  begin(sessionKey: string, requestId: string | number): Job;
  /** False: it does not run here. */
  cancel(sessionKey: string, requestId: string | number): boolean;
  /** Knows of an exchange until its last byte is kept or written. */
  answer(exchange: Exchange, work: () => Promise<void>): Promise<void>;
  /** Sends the clients away to come back elsewhere, and waits until all is answered. */
  stop(): Promise<void>;
}

const DRAIN_MS = 20_000;

export function createRunning(): Running {
  const jobs = new Map<string, Set<CancellationSource>>();
  const answering = new Map<Exchange, Promise<void>>();
  const nameOf = (sessionKey: string, requestId: string | number) =>
    `${sessionKey} ${JSON.stringify(requestId)}`;
  return {
    begin(sessionKey, requestId) {
      const name = nameOf(sessionKey, requestId);
      const cancellation = new CancellationSource();
      const same = jobs.get(name) ?? new Set();
      jobs.set(name, same.add(cancellation));
      return {
        cancellation,
        end() {
          same.delete(cancellation);
          if (same.size === 0 && jobs.get(name) === same) jobs.delete(name);
        },
      };
    },
    cancel(sessionKey, requestId) {
      const same = jobs.get(nameOf(sessionKey, requestId));
      for (const cancellation of same ?? []) cancellation.cancel();
      return same !== undefined;
    },
    async answer(exchange, work) {
      const done = work();
      answering.set(exchange, done);
      try {
        await done;
      } finally {
        answering.delete(exchange);
      }
    },
    async stop() {
      for (const exchange of answering.keys()) exchange.handOver();
      await Promise.race([
        Promise.allSettled(answering.values()),
        new Promise((resolve) => {
          setTimeout(resolve, DRAIN_MS).unref();
        }),
      ]);
    },
  };
}
