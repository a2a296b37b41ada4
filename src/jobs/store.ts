import { z } from 'zod';
import type { NamedRequest } from '../caller/route.ts';
import { sql } from '../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../platform/postgres/database.ts';
import { sweepOlder } from '../platform/postgres/sweep.ts';

/** The request that began a job. */
const RequestRow = z.object({
  operation_id: z.string(),
  /** Parameters of the path. */
  params: z.looseObject({}),
});

const JobRow = RequestRow.extend({
  id: z.string(),
  state: z.enum(['running', 'succeeded', 'failed', 'cancelled']),
  done: z.number(),
  total: z.number().nullable(),
  saved: z.number(),
  created_at: z.string(),
  ended_at: z.string().nullable(),
  status: z.number().nullable(),
  /** JSON. */
  result: z.string().nullable(),
  /** JSON. */
  errors: z.string().nullable(),
});
export type JobRow = z.infer<typeof JobRow>;

const columns = sql.fragment`
  id, operation_id, params, state, done, total, saved, created_at, ended_at, status, errors`;

/** The owner of jobs, or one credential of the owner. */
export interface Viewer {
  /** The account of a person, or a credential that acts for none. */
  owner: string;
  /** Only jobs that this credential started; null: all of the owner. */
  credential_id: string | null;
}

const ofViewer = ({ owner, credential_id }: Viewer) => sql.fragment`
  owner = ${owner} AND credential_id = coalesce(${credential_id}::uuid, credential_id)`;

export interface NewJob extends NamedRequest {
  id: string;
  owner: string;
  credential_id: string;
  account_id: string | null;
  organization_id: string | null;
}

/** Maximum number and size of the jobs that are kept of an owner, besides those that run. */
const MAX_KEPT = { jobs: 100, bytes: 20_000_000 };

/** Deletes the oldest ended jobs of an owner, to make room for one more. */
async function dropOldest(transaction: Transaction, owner: string): Promise<void> {
  // Lengths are known without the texts.
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM job WHERE id = ANY (ARRAY(
      SELECT id FROM (
        SELECT id, state, row_number() OVER newest AS place,
          sum(coalesce(octet_length(result), octet_length(errors), 0)) OVER newest AS bytes
        FROM job WHERE owner = ${owner} WINDOW newest AS (ORDER BY id DESC)
      ) AS kept
      WHERE state <> 'running' AND (place >= ${MAX_KEPT.jobs} OR bytes > ${MAX_KEPT.bytes})))`);
}

/**
 * Inserts a running job, and deletes the oldest ended ones above the limits. Returns null if the
 * owner has `max` running ones already.
 */
export async function insertJob(
  transaction: Transaction,
  { id, owner, credential_id, account_id, organization_id, operation_id, params }: NewJob,
  max: number,
): Promise<JobRow | null> {
  // One at a time, so that concurrent requests cannot pass the limit together.
  await transaction.query(sql.typeAlias('void')`
    SELECT FROM pg_advisory_xact_lock(hashtextextended(${`job:${owner}`}, 0))`);
  await dropOldest(transaction, owner);
  return transaction.maybeOne(sql.type(JobRow)`
    INSERT INTO job (id, owner, credential_id, account_id, organization_id, operation_id, params)
    SELECT ${id}, ${owner}, ${credential_id}, ${account_id}::uuid, ${organization_id}::uuid,
      ${operation_id}, ${JSON.stringify(params)}::jsonb
    WHERE (SELECT count(*) FROM job WHERE owner = ${owner} AND state = 'running') < ${max}
    RETURNING ${columns}, result`);
}

export function findJob(db: Queryable, viewer: Viewer, id: string): Promise<JobRow | null> {
  return db.maybeOne(sql.type(JobRow)`
    SELECT ${columns}, result FROM job WHERE id = ${id} AND ${ofViewer(viewer)}`);
}

/** Returns the distinct requests that began jobs. */
export function listRequests(db: Queryable, viewer: Viewer): Promise<readonly NamedRequest[]> {
  return db.any(sql.type(RequestRow)`
    SELECT DISTINCT operation_id, params FROM job WHERE ${ofViewer(viewer)}`);
}

/** Returns the jobs that some requests began, without their results, newest first. */
export function listJobs(
  db: Queryable,
  viewer: Viewer,
  requests: readonly NamedRequest[],
  { limit, cursor }: { limit: number; cursor: string | null },
): Promise<readonly JobRow[]> {
  const begunBy = sql.unnest(
    requests.map(({ operation_id, params }) => [operation_id, JSON.stringify(params)]),
    ['text', 'jsonb'],
  );
  return db.any(sql.type(JobRow)`
    SELECT ${columns}, NULL AS result FROM job
    WHERE ${ofViewer(viewer)} AND (operation_id, params) IN (SELECT * FROM ${begunBy})
      AND (${cursor}::uuid IS NULL OR id < ${cursor})
    ORDER BY id DESC LIMIT ${limit}`);
}

/** Ends a running job. */
export async function cancelJob(db: Queryable, viewer: Viewer, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE job SET state = 'cancelled', ended_at = now()
    WHERE id = ${id} AND ${ofViewer(viewer)} AND ended_at IS NULL`);
}

/**
 * Fails running jobs whose gateway has not been heard of, of one owner or of all. Skips a job whose
 * row is locked: something else is about to end it, or to show that it is alive.
 */
export async function interruptSilent(
  db: Queryable,
  seconds: number,
  owner: string | null = null,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE job SET state = 'failed', ended_at = now() WHERE ended_at IS NULL AND id = ANY (ARRAY(
      SELECT id FROM job
      WHERE state = 'running' AND heartbeat_at < now() - make_interval(secs => ${seconds})
        AND owner = coalesce(${owner}, owner)
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED))`);
}

/** Fails a running job without a response. */
export async function interruptJob(db: Queryable, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE job SET state = 'failed', ended_at = now() WHERE id = ${id} AND ended_at IS NULL`);
}

/** Counts a change, in its transaction. Returns false if the job has ended: it must roll back. */
export async function countSaved(transaction: Transaction, id: string): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    UPDATE job SET saved = saved + 1 WHERE id = ${id} AND state = 'running'`);
  return rowCount === 1;
}

/** The response of a job; either `result` or `errors` is JSON. */
export interface Response {
  status: number;
  result: string | null;
  errors: string | null;
}

/** Ends a running job with its response and its last progress. Returns false if it has ended. */
export async function endJob(
  db: Queryable,
  { id, done, total }: Beat,
  { status, result, errors }: Response,
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE job
    SET state = ${errors === null ? 'succeeded' : 'failed'}, ended_at = now(), status = ${status},
      result = ${result}, errors = ${errors}, done = ${done}, total = ${total}
    WHERE id = ${id} AND ended_at IS NULL`);
  return rowCount === 1;
}

/** Progress of a job. */
export interface Beat {
  id: string;
  done: number;
  total: number | null;
}

const EndedRow = z.object({ id: z.string() });

/**
 * Stores the progress of jobs, and that their gateway is alive. Returns those that are no longer
 * running. Skips a job whose row is locked: it is about to commit.
 */
export async function beatJobs(db: Queryable, beats: readonly Beat[]): Promise<readonly string[]> {
  const rows = sql.unnest(
    beats.map(({ id, done, total }) => [id, done, total]),
    ['uuid', 'int4', 'int4'],
  );
  const ended = await db.any(sql.type(EndedRow)`
    WITH sent AS (SELECT * FROM ${rows} AS s (id, done, total)),
    live AS (
      SELECT job.id FROM job JOIN sent USING (id) WHERE job.state = 'running'
      ORDER BY job.id FOR NO KEY UPDATE OF job SKIP LOCKED),
    beat AS (
      UPDATE job SET done = sent.done, total = sent.total, heartbeat_at = now()
      FROM sent JOIN live USING (id) WHERE job.id = sent.id)
    SELECT id FROM sent WHERE NOT EXISTS (
      SELECT FROM job WHERE job.id = sent.id AND job.state = 'running')`);
  return ended.map(({ id }) => id);
}

/** Deletes jobs a day after they began. */
export const sweepJobs = (db: Queryable): Promise<void> =>
  sweepOlder(db, { table: 'job', column: 'created_at', age: '24 hours' });
