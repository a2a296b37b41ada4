import { setTimeout } from 'node:timers/promises';
import type { Log } from '../platform/observability/log.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import type { RunningJob } from './running.ts';
import { beatJobs } from './store.ts';

const EVERY_MS = 500;

export interface HeartbeatDependencies {
  pool: Queryable;
  /** By id. */
  running: ReadonlyMap<string, RunningJob>;
  log: Log;
}

/**
 * Stores the progress of all running jobs in one statement, and aborts those that have ended
 * elsewhere, as long as there are any.
 */
export function createHeartbeat({ pool, running, log }: HeartbeatDependencies) {
  let loop: Promise<void> | null = null;
  const stopping = new AbortController();
  const { signal } = stopping;

  async function beat(): Promise<void> {
    const ended = await beatJobs(
      pool,
      [...running.values()].map((job) => job.beat()),
    );
    for (const id of ended) running.get(id)?.abort();
  }

  async function repeat(): Promise<void> {
    while (running.size > 0 && !signal.aborted) {
      await beat().catch((error: unknown) =>
        log.warn({ err: error }, 'the progress of jobs was not stored'),
      );
      await setTimeout(EVERY_MS, undefined, { signal }).catch(() => {});
    }
    loop = null;
  }

  return {
    /** Call after a job was added. */
    start: () => void (loop ??= repeat()),
    /** Ends the heartbeats: jobs that still run will be taken for silent. */
    async stop(): Promise<void> {
      stopping.abort();
      await loop;
    },
  };
}
