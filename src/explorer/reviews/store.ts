import { z } from 'zod';
import type { Actor } from '../../caller/actor.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { author } from './author.ts';
import { deleteSomeEntries } from './entries-store.ts';
import type { Review, ReviewParams, ReviewSettings } from './schema.ts';

const ReviewRow = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(['running', 'open', 'closed']),
  created_at: z.string(),
  created_by: z.object({
    kind: z.string(),
    id: z.string().nullable(),
    email: z.string().nullable(),
  }),
  counts: z.object({
    entries: z.number(),
    flagged: z.number(),
    undecided: z.number(),
    keep: z.number(),
    reduce: z.number(),
    revoke: z.number(),
  }),
  model_id: z.string().nullable(),
});

const columns = sql.fragment`
  r.id, r.name, r.status, r.created_at, r.model_id,
  ${author('r.created_by_kind', 'r.created_by_id')} AS created_by,
  (SELECT json_build_object('entries', r.entries, 'flagged', r.flagged,
      'undecided', r.entries - count(*), 'keep', count(*) FILTER (WHERE e.decision = 'keep'),
      'reduce', count(*) FILTER (WHERE e.decision = 'reduce'),
      'revoke', count(*) FILTER (WHERE e.decision = 'revoke'))
    FROM access_review_entry e WHERE e.review_id = r.id AND e.decision IS NOT NULL) AS counts`;

/** Returns the reviews of an organization, newest first. */
export const listReviews = (
  db: Queryable,
  organization_id: string,
  { limit, cursor }: { limit: number; cursor: string | null },
): Promise<readonly Review[]> =>
  db.any(sql.type(ReviewRow)`
    SELECT ${columns} FROM access_review r
    WHERE r.organization_id = ${organization_id} AND (${cursor}::uuid IS NULL OR r.id < ${cursor})
    ORDER BY r.id DESC LIMIT ${limit}`);

export const findReview = (
  db: Queryable,
  { organization_id, review_id }: ReviewParams,
): Promise<Review | null> =>
  db.maybeOne(sql.type(ReviewRow)`
    SELECT ${columns} FROM access_review r
    WHERE r.id = ${review_id} AND r.organization_id = ${organization_id}`);

const CountRow = z.object({ count: z.number() });

/** Returns how many reviews an organization has that somebody asked for. */
export async function countReviews(db: Queryable, organization_id: string): Promise<number> {
  const { count } = await db.one(sql.type(CountRow)`
    SELECT count(*)::int AS count FROM access_review
    WHERE organization_id = ${organization_id} AND night IS NULL`);
  return count;
}

/** A review that is about to run. */
export interface NewReview {
  id: string;
  organization_id: string;
  name: string;
  /** The day of a nightly one. */
  night: string | null;
  created_by: Pick<Actor, 'kind' | 'id'>;
}

// Longer than a job may take.
const ABANDONED = '15 minutes';

/** Inserts a running review. Returns false if there is one of this night, or no organization. */
export async function beginReview(
  db: Queryable,
  { id, organization_id, name, night, created_by }: NewReview,
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    INSERT INTO access_review
      (id, organization_id, name, night, created_by_kind, created_by_id, abandoned_at)
    SELECT ${id}, o.id, ${name}, ${night}::date, ${created_by.kind}, ${created_by.id}::uuid,
      now() + ${ABANDONED}::interval
    FROM organization o WHERE o.id = ${organization_id} AND o.deleted_at IS NULL
    ON CONFLICT (organization_id, night) DO NOTHING`);
  return rowCount === 1;
}

/** Shows a review with its entries. Returns false if it was deleted: it took too long. */
export async function openReview(
  transaction: Transaction,
  id: string,
  { entries, flagged, model_id }: { entries: number; flagged: number; model_id: string },
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    UPDATE access_review
    SET status = 'open', abandoned_at = NULL, entries = ${entries}, flagged = ${flagged},
      model_id = ${model_id}
    WHERE id = ${id} AND status = 'running'`);
  return rowCount === 1;
}

/** Closes an open review. Returns false if it is not open. */
export async function closeReview(
  transaction: Transaction,
  { organization_id, review_id }: ReviewParams,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    UPDATE access_review SET status = 'closed'
    WHERE id = ${review_id} AND organization_id = ${organization_id} AND status = 'open'`);
  return rowCount === 1;
}

const LockedRow = z.object({ status: z.enum(['running', 'open', 'closed']) });

/** Returns the state of a review, which cannot change until the transaction ends; null without one. */
export const lockReview = (
  transaction: Transaction,
  { organization_id, review_id }: ReviewParams,
) =>
  transaction.maybeOne(sql.type(LockedRow)`
    SELECT status FROM access_review
    WHERE id = ${review_id} AND organization_id = ${organization_id} FOR SHARE`);

/** Deletes a review in steps, so that no statement hits the statement timeout. */
export async function deleteReview(db: Queryable, id: string): Promise<void> {
  while (await deleteSomeEntries(db, id));
  await db.query(sql.typeAlias('void')`DELETE FROM access_review WHERE id = ${id}`);
}

/** Deletes a review that was not shown: nobody waits for it any more. */
export async function giveUpReview(db: Queryable, id: string): Promise<void> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE access_review SET abandoned_at = now() WHERE id = ${id} AND status = 'running'`);
  if (rowCount === 1) await deleteReview(db, id);
}

const IdRow = z.object({ id: z.string() });

/** Deletes a review of a deleted organization; returns false if none are left. */
export async function removeReviews(db: Queryable, organization_id: string): Promise<boolean> {
  const review = await db.maybeOne(sql.type(IdRow)`
    SELECT id FROM access_review WHERE organization_id = ${organization_id} LIMIT 1`);
  if (review !== null) await deleteReview(db, review.id);
  return review !== null;
}

/** Returns running reviews whose gateway has died. */
export const listAbandoned = (db: Queryable) =>
  db.any(sql.type(IdRow)`
    SELECT id FROM access_review WHERE status = 'running' AND abandoned_at < now() LIMIT 100`);

const SettingsRow = z.object({ nightly: z.boolean(), keep: z.number() });

export const findReviewSettings = (
  db: Queryable,
  organization_id: string,
): Promise<ReviewSettings | null> =>
  db.maybeOne(sql.type(SettingsRow)`
    SELECT nightly, keep FROM access_review_settings WHERE organization_id = ${organization_id}`);

export async function saveReviewSettings(
  transaction: Transaction,
  organization_id: string,
  { nightly, keep }: ReviewSettings,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO access_review_settings (organization_id, nightly, keep)
    VALUES (${organization_id}, ${nightly}, ${keep})
    ON CONFLICT (organization_id) DO UPDATE SET nightly = ${nightly}, keep = ${keep}`);
}

const DueRow = z.object({ organization_id: z.string(), night: z.string(), keep: z.number() });

/** Returns active organizations whose nightly review of today, in UTC, has not begun. */
export const listDueOrganizations = (db: Queryable) =>
  db.any(sql.type(DueRow)`
    SELECT s.organization_id, today.night::text AS night, s.keep
    FROM access_review_settings s
    JOIN organization o ON o.id = s.organization_id AND o.deleted_at IS NULL
      AND o.status = 'active'
    CROSS JOIN (SELECT (now() AT TIME ZONE 'UTC')::date AS night) AS today
    WHERE s.nightly AND NOT EXISTS (SELECT FROM access_review r
      WHERE r.organization_id = s.organization_id AND r.night = today.night)
    ORDER BY s.organization_id LIMIT 100`);

/** Returns nightly reviews without decisions that are older than the newest `keep` of them. */
export const listOutdated = (db: Queryable, organization_id: string, keep: number) =>
  db.any(sql.type(IdRow)`
    SELECT r.id FROM access_review r
    WHERE r.organization_id = ${organization_id} AND r.night IS NOT NULL AND r.status = 'open'
      AND NOT EXISTS (SELECT FROM access_review_entry e
        WHERE e.review_id = r.id AND e.decision IS NOT NULL)
    ORDER BY r.night DESC OFFSET ${keep}`);
