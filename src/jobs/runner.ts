import { setTimeout } from 'node:timers/promises';
import type { Reply } from '../caller/route.ts';
import { createFairQueue } from '../platform/concurrency/fair-queue.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import type { Problem } from '../platform/errors/refusal.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { createAdmission, MAX_JOBS, MAX_JOBS_OF_OWNER } from './admission.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createRunningJob, JobEnded } from './running.ts';
import type { RunningJob } from './running.ts';
import { endJob, interruptJob } from './store.ts';
import type { Response } from './store.ts';

/** Does the work of a job; every change must be confirmed last in its transaction. */
export type Work = (job: Pick<RunningJob, 'progress' | 'confirm'>) => Promise<Reply>;

/** Returns the response to what the work threw. */
export type ToErrors = (error: unknown) => { status: number; errors: readonly Problem[] };

/** The work of a job, and the quota owner that it counts for. */
export interface JobWork {
  fairnessKey: string;
  work: Work;
  toErrors: ToErrors;
}

export interface RunnerDependencies {
  pool: Queryable;
  log: Log;
}

/** How long a job may take. */
export const JOB_MS = 600_000;
const STOPPING_MS = 10_000;
const ABORTING_MS = 5_000;

/** Runs the jobs of this gateway. Whatever ends a job first, here or elsewhere, decides its state. */
export function createRunner({ pool, log }: RunnerDependencies) {
  const running = new Map<string, RunningJob>();
  const works = new Set<Promise<void>>();
  const heartbeat = createHeartbeat({ pool, running, log });
  const admission = createAdmission();
  const queue = createFairQueue(QUEUE);

  const warn = (message: string) => (error: unknown) => log.warn({ err: error }, message);

  /** Stores how a job ended; if that fails, the job counts as interrupted some seconds later. */
  async function end(job: RunningJob, response: Response): Promise<void> {
    await endJob(pool, job.beat(), response).catch(warn('the end of a job was not stored'));
  }

  /** Does the work when it is this owner's turn. */
  async function inTurn(job: RunningJob, fairnessKey: string, work: Work): Promise<Reply> {
    const turn = { signal: job.progress.signal, fairnessKey };
    await queue.enter(turn);
    try {
      return await work(job);
    } finally {
      queue.leave(turn);
    }
  }

  async function run(reply: Promise<Reply>, job: RunningJob, toErrors: ToErrors): Promise<void> {
    try {
      const { status, body } = await reply;
      await end(job, { status, result: JSON.stringify(body), errors: null });
    } catch (error) {
      if (error instanceof JobEnded) return;
      const { status, errors } = toErrors(error);
      await end(job, { status, result: null, errors: JSON.stringify(errors) });
    }
  }

  /** Fails a job without a response. Nothing is saved from then on. */
  async function interrupt(job: RunningJob): Promise<void> {
    const { id } = job.beat();
    await interruptJob(pool, id).catch(warn('the interruption of a job was not stored'));
    job.abort();
  }

  return {
    /** Call last in the transaction of `insert`: throws 503 if the gateway stops. */
    requireOpen: admission.requireOpen,
    /** Inserts a job and starts its work; throws 429 or 503 if the gateway has too many. */
    async begin<Row extends { id: string }>(
      { fairnessKey, work, toErrors }: JobWork,
      insert: () => Promise<Row>,
    ): Promise<Row> {
      const { leave } = admission.enter(fairnessKey);
      const row = await insert().catch((error: unknown) => {
        leave();
        throw error;
      });
      const job = createRunningJob(row.id);
      running.set(row.id, job);
      heartbeat.start();
      const timer = globalThis.setTimeout(() => void interrupt(job), JOB_MS);
      const ended = run(inTurn(job, fairnessKey, work), job, toErrors).finally(() => {
        clearTimeout(timer);
        running.delete(row.id);
        works.delete(ended);
        leave();
      });
      works.add(ended);
      return row;
    },
    /** Stops the work of a job that has ended, if this gateway runs it. */
    abort: (id: string) => running.get(id)?.abort(),
    /** Gives the jobs some seconds, then interrupts them. */
    async stop(): Promise<void> {
      admission.stop();
      await within(STOPPING_MS, works);
      await Promise.all([...running.values()].map(interrupt));
      await within(ABORTING_MS, works);
      await heartbeat.stop();
    },
  };
}

/** Resolves when all have ended, or after some time. */
async function within(ms: number, works: ReadonlySet<Promise<void>>): Promise<void> {
  const timer = new AbortController();
  await Promise.race([
    Promise.all(works),
    setTimeout(ms, undefined, { signal: timer.signal }).catch(() => {}),
  ]);
  timer.abort();
}

// The jobs of a gateway hold few connections to the database, and owners take turns. No job that
// was admitted is refused here.
const QUEUE = {
  size: 4,
  sizePerKey: 2,
  maxWaiting: MAX_JOBS,
  maxWaitingPerKey: MAX_JOBS_OF_OWNER,
  createBusyError: () => unavailable('too many jobs are waiting'),
};
