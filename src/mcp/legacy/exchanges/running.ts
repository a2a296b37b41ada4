import { InFlight } from '../../../platform/concurrency/in-flight.ts';
import { CancellationSource } from '../../protocol/cancellation.ts';
import type { Exchange } from './exchange.ts';

/** A running request of a session. */
export class Job extends CancellationSource {
  readonly sessionKey: string;
  readonly requestId: string | number;

  constructor(sessionKey: string, requestId: string | number) {
    super();
    this.sessionKey = sessionKey;
    this.requestId = requestId;
  }
}

/** Requests and exchanges in progress on this instance. */
export interface RunningCalls {
  /** Runs the work of a job, which can be cancelled until it ends. */
  run<T>(job: Job, work: () => Promise<T>): Promise<T>;
  /** Cancels a request; returns false if it is not running on this instance. */
  cancel(sessionKey: string, requestId: string | number): boolean;
  /** Tracks an exchange until its last byte is stored or written. */
  track(exchange: Exchange, work: () => Promise<void>): Promise<void>;
  /** Makes clients resume elsewhere, and waits up to `DRAIN_MS` until all exchanges have ended. */
  stop(): Promise<void>;
}

const DRAIN_MS = 20_000;

export function createRunningCalls(): RunningCalls {
  const jobs = new InFlight<Job>();
  const exchanges = new InFlight<Exchange>();
  let drained = () => {};
  return {
    async run(job, work) {
      const slot = jobs.add(job);
      try {
        return await work();
      } finally {
        jobs.remove(slot);
      }
    },
    cancel(sessionKey, requestId) {
      let isFound = false;
      // Scans all jobs: few calls are cancelled, and an index would cost every call.
      jobs.forEach((job) => {
        if (job.requestId !== requestId || job.sessionKey !== sessionKey) return;
        job.cancel();
        isFound = true;
      });
      return isFound;
    },
    async track(exchange, work) {
      const slot = exchanges.add(exchange);
      try {
        await work();
      } finally {
        exchanges.remove(slot);
        if (exchanges.size === 0) drained();
      }
    },
    async stop() {
      exchanges.forEach((exchange) => exchange.handOver());
      if (exchanges.size === 0) return;
      await new Promise<void>((resolve) => {
        drained = resolve;
        setTimeout(resolve, DRAIN_MS).unref();
      });
    },
  };
}
