import { Slots } from '../../../platform/concurrency/slots.ts';
import { CancellationSource } from '../../protocol/cancellation.ts';
import type { Exchange } from './exchange.ts';

/** One request of a session, while it runs. */
export class Job extends CancellationSource {
  readonly sessionKey: string;
  readonly requestId: string | number;

  constructor(sessionKey: string, requestId: string | number) {
    super();
    this.sessionKey = sessionKey;
    this.requestId = requestId;
  }
}

/** What this instance answers and runs, for sessions of any instance. */
export interface Running {
  /** The job can be cancelled until its work ends. */
  run<T>(job: Job, work: () => Promise<T>): Promise<T>;
  /** False: it does not run here. */
  cancel(sessionKey: string, requestId: string | number): boolean;
  /** Knows of an exchange until its last byte is kept or written. */
  answer(exchange: Exchange, work: () => Promise<void>): Promise<void>;
  /** Sends the clients away to come back elsewhere, and waits until all is answered. */
  stop(): Promise<void>;
}

const DRAIN_MS = 20_000;

export function createRunning(): Running {
  const jobs = new Slots<Job>();
  const exchanges = new Slots<Exchange>();
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
      // All that run here: few calls are cancelled, and every call would pay for an index.
      jobs.forEach((job) => {
        if (job.requestId !== requestId || job.sessionKey !== sessionKey) return;
        job.cancel();
        isFound = true;
      });
      return isFound;
    },
    async answer(exchange, work) {
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
