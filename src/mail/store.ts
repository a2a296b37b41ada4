import { z } from 'zod';
import { sql } from '../platform/postgres/database.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { sweepOlder } from '../platform/postgres/sweep.ts';

const JobRow = z.object({
  id: z.string(),
  kind: z.string(),
  address: z.string(),
  subject_id: z.string().nullable(),
  /** Set if the e-mail's account is being deleted; the job's row is then deleted when it ends. */
  locale: z.string().nullable(),
  attempts: z.number(),
  claimed: z.boolean(),
});
export type MailJob = z.infer<typeof JobRow>;
export type Outcome = 'sent' | 'dropped' | 'suppressed' | 'refused' | 'expired';

/** Addresses whose e-mails and cooldowns are deleted. */
export interface DeletedAddresses {
  /** Addresses that no other account has, and ids used as cooldown keys. */
  own: readonly string[];
  /** Addresses that were only entered and may belong to other accounts. */
  entered: readonly string[];
  /** Subject ids of the e-mails to `entered` addresses. */
  subjects: readonly string[];
}

const FoundRow = z.object({ found: z.boolean() });
const jobColumns = sql.fragment`
  id, kind, address, subject_id, locale, attempts, claimed`;

type NewJob = Pick<MailJob, 'id' | 'kind' | 'address' | 'subject_id' | 'locale'> & {
  try_hours: number;
};

/** Inserts jobs with one statement, however many. */
export async function insertJobs(db: Queryable, jobs: readonly NewJob[]): Promise<void> {
  await db.query(sql.typeAlias('void')`
    INSERT INTO mail_job (id, kind, address, subject_id, locale, give_up_at)
    SELECT id, kind, address, subject_id, locale, now() + try_hours * interval '1 hour'
    FROM jsonb_to_recordset(${JSON.stringify(jobs)}::jsonb) AS job (
      id uuid, kind text, address text, subject_id uuid, locale text, try_hours double precision)`);
}

/** How many e-mails of one kind an address gets in an hour. */
export interface HourlyCaps {
  /** From the account that asks for them, so that it cannot use up what others may send. */
  from_account?: Share;
  /** From the organization in whose name they are sent. */
  from_organization?: Share;
  from_all: number;
}

interface Share {
  id: string;
  limit: number;
}

/** Inserts a job that counts towards these caps; returns false if one of them is reached. */
export async function insertCappedJob(
  db: Queryable,
  job: NewJob,
  caps: HourlyCaps,
): Promise<boolean> {
  if (!(await hasRoom(db, job, caps))) return false;
  await insertJobs(db, [job]);
  await countJob(db, job.id, caps);
  return true;
}

type Counted = Pick<MailJob, 'id' | 'kind' | 'address'>;

const CountsRow = z.object({
  from_account: z.number(),
  from_organization: z.number(),
  from_all: z.number(),
});

/** Returns whether another e-mail exceeds none of the caps. */
async function hasRoom(db: Queryable, job: Counted, caps: HourlyCaps): Promise<boolean> {
  await lockCounts(db, job);
  const { from_account, from_organization } = caps;
  const counts = await db.one(sql.type(CountsRow)`
    SELECT count(*) FILTER (WHERE asked_by = ${from_account?.id ?? null}::uuid) AS from_account,
      count(*) FILTER (WHERE sender_id = ${from_organization?.id ?? null}::uuid)
        AS from_organization,
      count(*) AS from_all
    FROM mail_job
    WHERE address = ${job.address} AND kind = ${job.kind} AND claimed AND id <> ${job.id}
      AND requested_at > now() - interval '1 hour'`);
  return (
    counts.from_account < (from_account?.limit ?? Infinity) &&
    counts.from_organization < (from_organization?.limit ?? Infinity) &&
    counts.from_all < caps.from_all
  );
}

/** Makes an e-mail count. */
async function countJob(
  db: Queryable,
  id: string,
  { from_account, from_organization }: HourlyCaps,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE mail_job SET claimed = true, asked_by = ${from_account?.id ?? null},
      sender_id = ${from_organization?.id ?? null}
    WHERE id = ${id}`);
}

/** Makes other transactions that count e-mails of this kind to this address wait for the commit. */
async function lockCounts(db: Queryable, { kind, address }: Counted): Promise<void> {
  await db.query(sql.typeAlias('void')`
    SELECT FROM pg_advisory_xact_lock(hashtextextended(${`mail:${kind}:${address}`}, 0))`);
}

/**
 * Locks the next due job for a minute and returns it; other workers skip it. Jobs of unknown kinds
 * are left to a version of the service that knows them.
 */
export async function takeJob(db: Queryable, kinds: readonly string[]): Promise<MailJob | null> {
  return db.maybeOne(sql.type(JobRow)`
    UPDATE mail_job SET locked_until = now() + interval '1 minute', attempts = attempts + 1
    WHERE id = (
      SELECT id FROM mail_job
      WHERE finished_at IS NULL AND run_at <= now() AND kind = ANY(${sql.array(kinds, 'text')})
        AND (locked_until IS NULL OR locked_until < now())
      ORDER BY run_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING ${jobColumns}`);
}

export async function isSuppressed(db: Queryable, address: string): Promise<boolean> {
  const { found } = await db.one(sql.type(FoundRow)`
    SELECT EXISTS (SELECT FROM mail_suppression WHERE address = ${address} AND until > now())
      AS found`);
  return found;
}

/**
 * Starts the cooldown at the time of the request; returns false if one was still running. An e-mail
 * that is refused releases only the first cooldown that it claimed, that of the account that asked.
 */
export async function takeCooldown(
  db: Queryable,
  job: MailJob,
  { kind, cooldownKey }: { kind: string; cooldownKey: string },
): Promise<boolean> {
  const row = await db.maybeOne(sql.type(FoundRow)`
    INSERT INTO mail_cooldown (address, kind, sent_at)
    SELECT ${cooldownKey}, ${kind}, requested_at FROM mail_job WHERE id = ${job.id}
    ON CONFLICT (address, kind) DO UPDATE SET sent_at = EXCLUDED.sent_at
    WHERE mail_cooldown.sent_at <= EXCLUDED.sent_at - interval '5 minutes'
    RETURNING true AS found`);
  if (!row) return false;
  await db.query(sql.typeAlias('void')`
    UPDATE mail_job SET claimed = true, claimed_cooldown = coalesce(claimed_cooldown, ${kind}),
      claimed_of = coalesce(claimed_of, ${cooldownKey})
    WHERE id = ${job.id}`);
  return true;
}

/** Counts this e-mail towards these caps; returns false if one of them is reached. */
export async function takeRoom(db: Queryable, job: MailJob, caps: HourlyCaps): Promise<boolean> {
  if (await hasRoom(db, job, caps)) {
    await countJob(db, job.id, caps);
    return true;
  }
  // A cooldown may have claimed it; it is not sent, so it must not count.
  await db.query(sql.typeAlias('void')`UPDATE mail_job SET claimed = false WHERE id = ${job.id}`);
  return false;
}

export async function finishJob(db: Queryable, id: string, outcome: Outcome): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE mail_job SET outcome = ${outcome}, finished_at = now(), locked_until = NULL
    WHERE id = ${id} AND finished_at IS NULL`);
  await db.query(sql.typeAlias('void')`
    DELETE FROM mail_job WHERE id = ${id} AND locale IS NOT NULL`);
}

/** Releases the cooldown of an e-mail that will never arrive, so that a new request works. */
export async function releaseCooldown(db: Queryable, job: MailJob): Promise<void> {
  await db.query(sql.typeAlias('void')`
    DELETE FROM mail_cooldown USING mail_job
    WHERE mail_job.id = ${job.id}
      AND mail_cooldown.address = coalesce(mail_job.claimed_of, mail_job.address)
      AND mail_cooldown.kind = mail_job.claimed_cooldown
      AND mail_cooldown.sent_at = mail_job.requested_at`);
}

/** Schedules a retry after the delay, at most until `give_up_at`; after that, expires the job. */
export async function postponeJob(
  db: Queryable,
  id: string,
  delayMs: number,
): Promise<'waiting' | 'expired'> {
  const row = await db.maybeOne(sql.type(FoundRow)`
    UPDATE mail_job
    SET locked_until = NULL,
      run_at = least(now() + ${delayMs} * interval '1 millisecond', give_up_at)
    WHERE id = ${id} AND give_up_at > now() RETURNING true AS found`);
  if (row) return 'waiting';
  await finishJob(db, id, 'expired');
  return 'expired';
}

export async function suppress(db: Queryable, address: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    INSERT INTO mail_suppression (address, until)
    VALUES (${address}, now() + interval '7 days')
    ON CONFLICT (address) DO UPDATE SET until = EXCLUDED.until`);
}

/** Deletes e-mails and cooldowns; for `entered` addresses, only the e-mails about `subjects`. */
export async function deleteEmails(
  db: Queryable,
  { own, entered, subjects }: DeletedAddresses,
): Promise<void> {
  const owned = sql.array([...own], 'text');
  await db.query(sql.typeAlias('void')`
    DELETE FROM mail_job WHERE address = ANY(${owned})
      OR (address = ANY(${sql.array([...entered], 'text')})
        AND subject_id = ANY(${sql.array([...subjects], 'uuid')}))`);
  await db.query(sql.typeAlias('void')`DELETE FROM mail_cooldown WHERE address = ANY(${owned})`);
}

/** Deletes rows that are no longer needed. */
export async function sweepMail(db: Queryable): Promise<void> {
  await sweepOlder(db, { table: 'mail_job', column: 'finished_at', age: '7 days' });
  await sweepOlder(db, { table: 'mail_cooldown', column: 'sent_at', age: '1 day' });
  await sweepOlder(db, { table: 'mail_suppression', column: 'until', age: '0' });
}
