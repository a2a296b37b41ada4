import type { Database, Transaction } from '../platform/postgres/database.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Email } from './emails.ts';
import type { MailProbe } from './probe.ts';
import {
  finishJob,
  isSuppressed,
  postponeJob,
  releaseCooldown,
  suppress,
  sweepMail,
  takeCooldown,
  takeJob,
  takeRoom,
} from './store.ts';
import type { HourlyCaps, MailJob } from './store.ts';
import type { Delivery, MailTransport } from './transport.ts';

/** Token and limits of one job; once a limit is reached, the e-mail is dropped silently. */
export interface Claim {
  /** Secret of the e-mail's link; the same for each attempt of the job, and never stored. */
  token: string;
  /**
   * Allows one e-mail of the kind every five minutes per address, or per `cooldownKey` if given.
   */
  cooldown(kind: string, cooldownKey?: string): Promise<boolean>;
  /** Allows as many e-mails of this job's kind per hour to its address. */
  within(caps: HourlyCaps): Promise<boolean>;
}

/** Composes one kind of e-mail from the rows that exist when it is sent; null sends none. */
export type Composer = (
  transaction: Transaction,
  job: MailJob,
  claim: Claim,
) => Promise<Email | null>;

export interface WorkerDependencies {
  database: Database;
  transport: MailTransport;
  probe: MailProbe;
  composers: Readonly<Record<string, Composer>>;
  tokenOf(jobId: string): string;
  log: Log;
  pollMs?: number;
}

const POLL_MS = 1_000;
const SWEEP_MS = 3_600_000;
const FIRST_RETRY_MS = 2_000;
const LAST_RETRY_MS = 900_000;

export function createMailWorker(dependencies: WorkerDependencies) {
  const { database, log } = dependencies;
  const kinds = Object.keys(dependencies.composers);
  const pollMs = dependencies.pollMs ?? POLL_MS;
  let running: Promise<void> | null = null;
  const state = { isStopped: true, isWoken: false };
  let wakeUp: (() => void) | null = null;
  let sweepAt = performance.now() + SWEEP_MS;

  /** Processes jobs until none is due. */
  async function drain(): Promise<void> {
    for (;;) {
      const job = await takeJob(database.pool, kinds);
      if (job === null) return;
      await work(dependencies, job);
      if (state.isStopped && running) return;
    }
  }

  async function sweep(): Promise<void> {
    if (performance.now() < sweepAt) return;
    sweepAt = performance.now() + SWEEP_MS;
    await sweepMail(database.pool);
  }

  async function pause(): Promise<void> {
    if (state.isWoken || state.isStopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pollMs);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    wakeUp = null;
  }

  async function run(): Promise<void> {
    while (!state.isStopped) {
      state.isWoken = false;
      try {
        await drain();
        await sweep();
      } catch (error) {
        log.warn({ err: error }, 'mail worker failed; queued e-mails are delayed');
      }
      await pause();
    }
  }

  return {
    drain,
    start() {
      if (running) return;
      state.isStopped = false;
      running = run();
    },
    /** Stops after the current e-mail. */
    async stop() {
      state.isStopped = true;
      wakeUp?.();
      await running;
      running = null;
    },
    /** Signals a new job in this process; other processes find it by polling. */
    wake() {
      state.isWoken = true;
      wakeUp?.();
    },
  };
}
export type MailWorker = ReturnType<typeof createMailWorker>;

async function work(dependencies: WorkerDependencies, job: MailJob): Promise<void> {
  const { database, log } = dependencies;
  try {
    const email = await compose(dependencies, job);
    if (email === null) return;
    await recordDelivery(
      dependencies,
      job,
      await dependencies.transport.send(job.id, job.address, email),
    );
  } catch (error) {
    // A database error or a defect of the composer must not lose the job: try again later.
    log.error({ err: error, job: job.id, kind: job.kind }, 'e-mail job failed; it will be retried');
    await postponeJob(database.pool, job.id, delayAfter(job.attempts));
  }
}

async function compose(
  { database, composers, tokenOf }: WorkerDependencies,
  job: MailJob,
): Promise<Email | null> {
  return database.transaction(async (transaction) => {
    if (await isSuppressed(transaction, job.address)) {
      await finishJob(transaction, job.id, 'suppressed');
      return null;
    }
    const email = await composers[job.kind]!(transaction, job, {
      token: tokenOf(job.id),
      cooldown: async (kind, cooldownKey = job.address) =>
        job.claimed || takeCooldown(transaction, job, { kind, cooldownKey }),
      within: async (caps) => job.claimed || takeRoom(transaction, job, caps),
    });
    if (email) return email;
    await finishJob(transaction, job.id, 'dropped');
    return null;
  });
}

const failureMessages = {
  unavailable: 'mail server unavailable; the e-mail is queued',
  deferred: 'mail server deferred an e-mail; it is queued',
  no_mailbox:
    'mail server rejected an e-mail: no such mailbox; the address is suppressed for 7 days',
  refused: 'mail server rejected an e-mail',
} satisfies Record<Exclude<Delivery['outcome'], 'accepted'>, string>;

async function recordDelivery(
  { database, probe, log }: WorkerDependencies,
  job: MailJob,
  delivery: Delivery,
): Promise<void> {
  if (delivery.outcome === 'accepted') return finishJob(database.pool, job.id, 'sent');
  const { outcome, reason } = delivery;
  const facts = { job: job.id, kind: job.kind, outcome, reason };
  log.warn(facts, failureMessages[outcome]);
  if (outcome === 'unavailable') probe.open();
  if (outcome === 'unavailable' || outcome === 'deferred') {
    const status = await postponeJob(database.pool, job.id, delayAfter(job.attempts));
    if (status === 'waiting') return;
    log.warn(facts, 'e-mail expired undelivered');
    await releaseCooldown(database.pool, job);
    return;
  }
  await database.transaction(async (transaction) => {
    if (outcome === 'no_mailbox') await suppress(transaction, job.address);
    await releaseCooldown(transaction, job);
    await finishJob(transaction, job.id, 'refused');
  });
}

/** Returns an exponential delay in ms, from 2 s up to 15 min, with ±25 % jitter. */
function delayAfter(attempts: number): number {
  const delay = Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 20), LAST_RETRY_MS);
  return Math.round(delay * (0.75 + Math.random() / 2));
}
