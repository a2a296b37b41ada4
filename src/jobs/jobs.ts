import { setTimeout } from 'node:timers/promises';
import type { ServerEvent } from '../caller/events.ts';
import { isSession } from '../caller/principal.ts';
import type { Principal } from '../caller/principal.ts';
import type { NamedRequest } from '../caller/route.ts';
import { createBackground } from '../platform/concurrency/background.ts';
import { absent, limited } from '../platform/errors/refusal.ts';
import { toPage } from '../platform/http/pages.ts';
import type { Page, PageQuery } from '../platform/http/pages.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Database } from '../platform/postgres/database.ts';
import { withFallbackOnViolation } from '../platform/postgres/violation.ts';
import { recordOf } from './record.ts';
import { createRunner } from './runner.ts';
import type { ToErrors, Work } from './runner.ts';
import type { Job } from './schema.ts';
import {
  cancelJob,
  findJob,
  insertJob,
  interruptSilent,
  listJobs,
  listRequests,
  sweepJobs,
} from './store.ts';
import type { JobRow, NewJob, Viewer } from './store.ts';

export { JOB_MS } from './runner.ts';
export type { Work } from './runner.ts';

/** A request that runs as a job, after it was authorized. */
export interface JobRequest extends NamedRequest {
  caller: Principal;
  /** The organization that its path names. */
  organization_id: string | null;
  /** Called last in the transaction that stores the job: throws if 503 has already been sent. */
  beforeCommit(): void;
}

/** Who asks for jobs, and what they may request now. */
export interface JobSender {
  caller: Principal;
  mayRequest(request: NamedRequest): Promise<boolean>;
}

/**
 * Jobs are shown only to those who may make the request that began them: its response could contain
 * what they may not read any more.
 */
export interface Jobs {
  /** Starts a job; throws 429 if the caller has too many, 503 if the gateway has or stops. */
  begin(request: JobRequest, work: Work, toErrors: ToErrors): Promise<Job>;
  list(sender: JobSender, query: PageQuery): Promise<Page<Job>>;
  /** Throws 404 unless the sender may see the job. */
  get(sender: JobSender, id: string): Promise<Job>;
  /** Ends a running job: nothing is saved from then on. Returns the job as it ended. */
  cancel(sender: JobSender, id: string): Promise<Job>;
  /** Yields the job each time that it has changed, until it or the stream has ended. */
  watch(sender: JobSender, id: string, ended: AbortSignal): AsyncGenerator<ServerEvent>;
  start(): void;
  /** Gives running jobs some seconds, then interrupts them. */
  stop(): Promise<void>;
}

export interface JobsDependencies {
  database: Pick<Database, 'pool' | 'transaction'>;
  log: Log;
}

const MAX_RUNNING = 3;
const RETRY_SECONDS = 10;
// A gateway that has not stored the progress of a job for so long is taken for dead. If it is only
// slow, its next transaction finds that the job has ended, and rolls back.
const SILENT_SECONDS = 15;
const WATCH_MS = 500;

/** Runs long requests after their response (decisions/0050). */
export function createJobs({ database, log }: JobsDependencies): Jobs {
  const { pool } = database;
  const runner = createRunner({ pool, log });
  const sweep = createBackground(
    async () => {
      await interruptSilent(pool, SILENT_SECONDS);
      await sweepJobs(pool);
    },
    (error) => log.warn({ err: error }, 'sweep of jobs failed; next attempt in a minute'),
  );

  async function find({ caller, mayRequest }: JobSender, id: string): Promise<Job> {
    const viewer = viewerOf(caller);
    await interruptSilent(pool, SILENT_SECONDS, viewer.owner);
    const row = await findJob(pool, viewer, id);
    if (row === null || !(await mayRequest(row))) throw absent();
    return recordOf(row);
  }

  return {
    async begin({ caller, organization_id, beforeCommit, ...named }, work, toErrors) {
      const { owner } = viewerOf(caller);
      const { person, quota_owner, credential } = caller;
      const job = {
        ...{ ...named, id: newId(), owner, credential_id: credential.id, account_id: person },
        organization_id: organization_id ?? (person === null ? quota_owner.id : null),
      };
      const jobWork = { fairnessKey: quota_owner.id, work, toErrors };
      const requireAnswer = () => {
        runner.requireOpen();
        beforeCommit();
      };
      return recordOf(await runner.begin(jobWork, () => insert(database, job, requireAnswer)));
    },
    async list({ caller, mayRequest }, { limit, cursor = null }) {
      const viewer = viewerOf(caller);
      await interruptSilent(pool, SILENT_SECONDS, viewer.owner);
      const requests = await listRequests(pool, viewer);
      const answers = await Promise.all(requests.map(mayRequest));
      const allowed = requests.filter((_, index) => answers[index]);
      const rows = await listJobs(pool, viewer, allowed, { limit: limit + 1, cursor });
      return toPage(rows.map(recordOf), { limit });
    },
    get: find,
    async cancel(sender, id) {
      await find(sender, id);
      await cancelJob(pool, viewerOf(sender.caller), id);
      const job = await find(sender, id);
      if (job.state !== 'running') runner.abort(id);
      return job;
    },
    async *watch(sender, id, ended) {
      let sent = '';
      while (!ended.aborted) {
        const job = await find(sender, id);
        if (job.state !== 'running') {
          yield { event: 'end', data: job };
          return;
        }
        const text = JSON.stringify(job);
        if (text !== sent) yield { event: 'progress', data: job };
        sent = text;
        await setTimeout(WATCH_MS, undefined, { signal: ended }).catch(() => {});
      }
    },
    start: sweep.start,
    async stop() {
      await Promise.all([runner.stop(), sweep.stop()]);
    },
  };
}

/**
 * Returns whose jobs a caller may see: a person sees all of the own account in a session; any other
 * credential only those that it started, since another may have had more permissions.
 */
function viewerOf(caller: Principal): Viewer {
  const { credential, person } = caller;
  return {
    owner: person === null ? `${credential.kind} ${credential.id}` : `account ${person}`,
    credential_id: isSession(caller) ? null : credential.id,
  };
}

/** Inserts a job unless its owner has too many; calls `beforeCommit` last. */
async function insert(
  { transaction }: Pick<Database, 'transaction'>,
  job: NewJob,
  beforeCommit: () => void,
): Promise<JobRow> {
  const inserted = transaction(async (inside) => {
    await interruptSilent(inside, SILENT_SECONDS, job.owner);
    const row = await insertJob(inside, job, MAX_RUNNING);
    beforeCommit();
    return row;
  });
  const row = await withFallbackOnViolation(inserted, ['job_organization_id_fkey'], undefined);
  if (row === undefined) throw absent('the organization was deleted concurrently');
  if (row === null) throw tooManyJobs();
  return row;
}

const tooManyJobs = () =>
  limited(
    'rate_limited',
    `At most ${MAX_RUNNING} jobs can run at a time. Wait until one has ended, or cancel one.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
