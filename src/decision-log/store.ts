import { z } from 'zod';
import { knownAddress } from '../caller/membership.ts';
import { families } from '../content/items/schema.ts';
import { sql } from '../platform/postgres/database.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import type { DecisionRow } from './row.ts';
import { DecisionLayer, DecisionOutcome, DecisionReason, SubjectKind } from './schema.ts';

const StoredDecision = z.object({
  id: z.string(),
  at: z.string(),
  request_id: z.string(),
  subject_kind: SubjectKind,
  subject_id: z.string(),
  family: z.enum(families).nullable(),
  action: z.string().nullable(),
  team_id: z.string().nullable(),
  outcome: DecisionOutcome,
  layer: DecisionLayer.nullable(),
  reason: DecisionReason.nullable(),
  model_id: z.string(),
  cached: z.boolean().nullable(),
  sampled: z.number(),
});
export type StoredDecision = z.infer<typeof StoredDecision>;
const columns = sql.fragment`id, at, request_id, subject_kind, subject_id, family, action, team_id,
  outcome, layer, reason, model_id, cached, sampled`;

const WrittenDecision = StoredDecision.extend({
  organization_id: z.string().nullable(),
  item_id: z.string().nullable(),
});
/** A decision as it was written. */
export type WrittenDecision = z.infer<typeof WrittenDecision>;

/**
 * Inserts the rows that do not exist yet, and returns those. Times are measured back from the
 * database's, so that the gateways' clocks do not matter. An organization's log has no decisions
 * about strangers, who could fill it: theirs are of their own account or organization. Items in
 * members' own spaces are not named, even to the database.
 */
export function insertDecisions(
  db: Queryable,
  rows: readonly DecisionRow[],
  model_id: string,
): Promise<readonly WrittenDecision[]> {
  const now = performance.now();
  const sent = rows.map(({ made, ...row }) => ({ ...row, age_ms: Math.max(now - made, 0) }));
  return db.any(sql.type(WrittenDecision)`
    WITH sent AS (
      SELECT *, now() - make_interval(secs => age_ms / 1000) AS at
      FROM json_to_recordset(${JSON.stringify(sent)}::json) AS row (id uuid, age_ms float8,
        organization_id uuid, is_inside bool, account_id uuid, home_id uuid, request_id uuid,
        subject_kind text, subject_id uuid, family text, action text, item_id text, space_id uuid,
        team_id uuid, layer text, reason text, cached bool, sampled int4)
    ), decision AS (
      SELECT sent.*, coalesce(sent.team_id, team.id) AS of_team,
        CASE WHEN is_inside OR EXISTS (
          SELECT FROM membership m
          WHERE m.organization_id = sent.organization_id AND m.account_id = sent.account_id)
        THEN sent.organization_id ELSE home_id END AS tenant,
        space_id IS NULL OR space_id = sent.organization_id
          OR team.id IS NOT NULL AS is_shared
      FROM sent LEFT JOIN team
        ON team.id = space_id AND team.organization_id = sent.organization_id
    )
    INSERT INTO access_decision (id, month, at, organization_id, account_id, request_id,
      subject_kind, subject_id, family, action, item_id, team_id, outcome, layer, reason, model_id,
      cached, sampled)
    SELECT id, date_trunc('month', at AT TIME ZONE 'UTC')::date, at, tenant, account_id, request_id,
      subject_kind, subject_id, family, CASE WHEN is_shared THEN action END,
      CASE WHEN is_shared THEN item_id END, of_team,
      CASE WHEN reason IS NULL THEN 'allowed' ELSE 'denied' END, layer, reason, ${model_id}, cached,
      sampled
    FROM decision ORDER BY id
    ON CONFLICT (id, month) DO NOTHING
    RETURNING organization_id, item_id, ${columns}`);
}

/** Where a page of decisions begins: after this one. */
export interface DecisionPosition {
  /** With the precision of the database. */
  at: string;
  id: string;
}

export interface DecisionFilter {
  since?: string | undefined;
  until?: string | undefined;
  subject?: string | undefined;
  action?: string | undefined;
  outcome?: string | undefined;
  reason?: string | undefined;
  /** The teams whose items are named; all teams if null. */
  inside: ReadonlySet<string> | null;
}

/** Whether a decision's item may be named to someone who is in these teams; in all if null. */
const isNamed = (inside: ReadonlySet<string> | null) =>
  inside === null
    ? sql.fragment`true`
    : sql.fragment`(family IS NULL OR team_id IS NULL
        OR team_id = ANY(${sql.array([...inside], 'uuid')}))`;

const matches = (
  organization_id: string,
  { since, until, subject, action, outcome, reason, inside }: DecisionFilter,
  after: DecisionPosition | null,
) =>
  sql.join(
    [
      sql.fragment`organization_id = ${organization_id}`,
      since !== undefined &&
        sql.fragment`at >= ${since}::timestamptz AND month >= ${monthOf(since)}`,
      until !== undefined &&
        sql.fragment`at < ${until}::timestamptz AND month <= ${monthOf(until)}`,
      subject !== undefined && sql.fragment`subject_id = ${subject}`,
      action !== undefined && sql.fragment`action = ${action} AND ${isNamed(inside)}`,
      outcome !== undefined && sql.fragment`outcome = ${outcome}`,
      reason !== undefined && sql.fragment`reason = ${reason}`,
      after !== null &&
        sql.fragment`(at, id) < (${after.at}::timestamptz, ${after.id}::uuid)
          AND month <= ${monthOf(after.at)}`,
    ].filter((condition) => condition !== false),
    sql.fragment` AND `,
  );

// Names the partition; timestamps are in UTC.
const monthOf = (timestamp: string) => sql.fragment`${`${timestamp.slice(0, 7)}-01`}::date`;

const FoundDecision = StoredDecision.extend({ position: z.string() });

/** Lists decisions in one organization, newest first by database time. */
export const listDecisions = (
  db: Queryable,
  organization_id: string,
  { limit, after, ...filter }: DecisionFilter & { limit: number; after: DecisionPosition | null },
) =>
  db.any(sql.type(FoundDecision)`
    SELECT id, at, request_id, subject_kind, subject_id, family,
      CASE WHEN ${isNamed(filter.inside)} THEN action END AS action, team_id, outcome, layer,
      reason, model_id, cached, sampled,
      json_build_array(to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), id)::text
        AS position
    FROM access_decision WHERE ${matches(organization_id, filter, after)}
    ORDER BY access_decision.at DESC, id DESC LIMIT ${limit}`);

/** Counts the decisions that a filter selects, up to `max`. */
export const countDecisions = (
  db: Queryable,
  organization_id: string,
  { max, ...filter }: DecisionFilter & { max: number },
): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*) FROM (
      SELECT FROM access_decision WHERE ${matches(organization_id, filter, null)} LIMIT ${max}
    ) AS selected`);

const NameRow = z.object({ id: z.string(), name: z.string() });

/**
 * Returns the names of subjects as the organization may know them: addresses of people who are
 * members, and names of keys and clients that it owns.
 */
export async function listSubjectNames(
  db: Queryable,
  organization_id: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const those = sql.array([...ids], 'uuid');
  const rows = await db.any(sql.type(NameRow)`
    SELECT a.id, ${knownAddress} AS name FROM membership m JOIN account a ON a.id = m.account_id
    WHERE m.organization_id = ${organization_id} AND a.id = ANY(${those})
      AND ${knownAddress} IS NOT NULL
    UNION ALL SELECT id, name FROM api_key
    WHERE organization_id = ${organization_id} AND id = ANY(${those})
    UNION ALL SELECT k.id, o.name FROM oauth_connection k JOIN oauth_client o ON o.id = k.client_id
    WHERE o.organization_id = ${organization_id} AND k.id = ANY(${those})`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Creates the partitions of the next two months, and drops those that are too old. */
export async function preparePartitions(db: Queryable, months_kept: number): Promise<void> {
  await db.query(sql.typeAlias('void')`SELECT FROM access_decision_prepare(2)`);
  await db.query(sql.typeAlias('void')`SELECT FROM access_decision_forget(${months_kept})`);
}
