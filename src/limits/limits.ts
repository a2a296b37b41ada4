import type { QuotaOwner } from '../caller/principal.ts';
import type { Clock } from '../platform/clock.ts';
import type { Queryable, Database } from '../platform/postgres/database.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Plans } from '../platform/config/plans.ts';
import type { RedisLink } from '../platform/redis/redis.ts';
import { unavailable } from '../platform/errors/refusal.ts';
import { allowanceOf } from './admission.ts';
import type { Admission, AdmissionRequest } from './admission.ts';
import { createBreaker } from '../platform/concurrency/breaker.ts';
import { createCorrections } from './fallback/corrections.ts';
import type { Corrections } from './fallback/corrections.ts';
import { createCounters } from './counters/counters.ts';
import type { UnansweredCall } from './counters/counters.ts';
import { createInstances } from './fallback/instances.ts';
import { createLedger } from './ledger/ledger.ts';
import type { PastCall, UsageRecord } from './ledger/ledger.ts';
import { createLocalLimiter } from './fallback/local-limiter.ts';
import type { LocalLimiter } from './fallback/local-limiter.ts';
import { createRemoteLimiter } from './counters/remote-limiter.ts';
import type { RemoteLimiter } from './counters/remote-limiter.ts';
import { exportUsage } from './ledger/store.ts';
import type { CallKind } from './schema.ts';
import { readUsage, readWindows } from './usage.ts';
import type { Usage, Use } from './usage.ts';

export type {
  Admission,
  AdmissionRequest,
  AdmittedCall as Admitted,
  SessionState,
  SessionTouch,
} from './admission.ts';
export type { FormKey, FormKind } from './forms/forms.ts';
export type { CallFacts } from './ledger/row.ts';
export type { PastCall, UsageRecord } from './ledger/ledger.ts';
export type { CallKind } from './schema.ts';
export type { Usage } from './usage.ts';

/** Rate limits and monthly quota of an account or organization, across all its keys. */
export interface Limits {
  /**
   * Decides with one Redis script, which is exact under any concurrency. While Redis is
   * unavailable, this process grants its share of each window, and the ledger decides the month.
   * Throws `unavailable` if neither is possible.
   */
  admit(request: AdmissionRequest): Promise<Admission>;
  /** Records how a call ended, whether it was counted, free or refused. */
  record(record: UsageRecord): void;
  /** Writes calls with their own times: for data that is not the product of requests. */
  recordPast(calls: readonly PastCall[]): Promise<void>;
  usage(owner: QuotaOwner): Promise<Usage>;
  /** Returns the current windows that apply to a kind of call; counts nothing. */
  windows(owner: QuotaOwner, kind: CallKind): Promise<Use[]>;
  /** Returns an account's usage and calls, for its export. */
  exportAccount(db: Queryable, account_id: string, most: number): Promise<object>;
  /** Returns whether Redis is unavailable, so that windows are limited in this process. */
  isDegraded(): boolean;
  /** Returns the number of rows not yet in PostgreSQL. */
  waitingRows(): number;
  start(): void;
  stop(): Promise<void>;
}

export interface LimitsDependencies {
  redis: RedisLink;
  database: Database;
  plans: Plans;
  log: Log;
  clock: Clock;
}

// Rows must be written within a second: they wait at most this long, and then for the flush.
const FLUSH_MS = 500;

export function createLimits(dependencies: LimitsDependencies): Limits {
  const { redis, database, plans, log, clock } = dependencies;
  const breaker = createBreaker({
    now: () => performance.now(),
    onOpen: (cause) =>
      log.error({ err: cause }, 'Redis unreachable; calls are limited by each process'),
    onClose: () => log.warn('Redis reachable again; calls are limited there'),
  });
  const ledger = createLedger({
    pool: database.pool,
    log,
    clock,
    onWritten: (totals) => totals.forEach(corrections.raise),
  });
  const countCalls = ledger.countCalls;
  const remoteDependencies = { counters: createCounters(redis, breaker), countCalls };
  const remote = createRemoteLimiter(remoteDependencies);
  const corrections = createCorrections(remoteDependencies);
  const instances = createInstances({ pool: database.pool, log, id: newId() });
  const local = createLocalLimiter({ liveInstances: instances.liveCount, ledger });
  const fallback = { plans, local, remote, corrections };
  let timer: NodeJS.Timeout | undefined;
  let draining: Promise<void> | null = null;

  /** Flushes, then updates Redis to PostgreSQL's totals; runs one at a time and never rejects. */
  function drain(options?: { all: boolean }): Promise<void> {
    draining ??= ledger
      .flush()
      .then(() => corrections.drain(options))
      .catch((error: unknown) => log.warn({ err: error }, 'could not correct counters in Redis'))
      .finally(() => {
        draining = null;
      });
    return draining;
  }

  return {
    isDegraded: breaker.isOpen,
    waitingRows: ledger.waitingRows,
    record: ledger.record,
    recordPast: ledger.recordPast,
    async admit(request) {
      if (ledger.isFull()) throw unavailable('the usage buffer is full');
      const allowance = allowanceOf(plans, request.quota_owner, request.kind);
      const answer = await remote.admit(request, allowance);
      if ('noReply' in answer) return admitLocally(fallback, request, answer);
      if (answer.admitted && answer.month !== null)
        answer.entry = ledger.open(request, answer.month);
      return answer;
    },
    exportAccount: exportUsage,
    usage: (owner) => readUsage({ plans, remote, countCalls }, owner),
    windows: (owner, kind) => readWindows({ plans, remote, countCalls }, owner, kind),
    start() {
      instances.start();
      timer ??= setInterval(() => void drain(), FLUSH_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await drain();
      await drain({ all: true });
      await instances.stop();
    },
  };
}

interface Fallback {
  plans: Plans;
  local: LocalLimiter;
  remote: RemoteLimiter;
  corrections: Corrections;
}

/** Decides without Redis. If `isSent`, Redis may have counted the call without responding. */
async function admitLocally(
  { plans, local, remote, corrections }: Fallback,
  request: AdmissionRequest,
  { isSent, position }: UnansweredCall,
): Promise<Admission> {
  let isAdmitted = false;
  try {
    // A session cannot be checked without Redis: 2025 clients get a 503, and nothing is counted.
    if (request.session) return { session: { status: 'unknown' }, admitted: false, window: null };
    const admission = await local.admit(
      request,
      allowanceOf(plans, request.quota_owner, request.kind),
    );
    isAdmitted = admission.admitted;
    if (admission.admitted && admission.month !== null)
      remote.noteBypass(request.quota_owner, admission.month);
    return admission;
  } finally {
    if (isSent && !isAdmitted) corrections.release(request, position);
  }
}
