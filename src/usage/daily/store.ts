import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { ownedBy } from '../store.ts';
import type { OwnerRef } from '../store.ts';

/** A period of days; null for the last 30. */
export type Period = { from: string; to: string } | null;

const first = (period: Period) =>
  period === null
    ? sql.fragment`((now() AT TIME ZONE 'UTC')::date - 29)`
    : sql.fragment`${period.from}::date`;
const last = (period: Period) =>
  period === null
    ? sql.fragment`(now() AT TIME ZONE 'UTC')::date`
    : sql.fragment`${period.to}::date`;

const DayRow = z.object({
  day: z.string(),
  calls: z.number(),
  refused: z.number(),
  content_reads: z.number(),
});

/** Returns the calls of each day of a period, oldest first. */
export function listDays(db: Queryable, owner: OwnerRef, period: Period) {
  return db.any(sql.type(DayRow)`
    WITH counted AS (
      SELECT day, sum(calls) AS calls FROM usage_day
      WHERE ${ownedBy(owner)} AND day BETWEEN ${first(period)} AND ${last(period)} GROUP BY day
    ), uncounted AS (
      SELECT day, refused, content_reads FROM usage_uncounted
      WHERE ${ownedBy(owner)} AND day BETWEEN ${first(period)} AND ${last(period)}
    )
    SELECT to_char(of.day, 'YYYY-MM-DD') AS day, coalesce(calls, 0) AS calls,
      coalesce(refused, 0) AS refused, coalesce(content_reads, 0) AS content_reads
    FROM (SELECT ${first(period)} + ago AS day
      FROM generate_series(0, ${last(period)} - ${first(period)}) AS ago) AS of
    LEFT JOIN counted ON counted.day = of.day LEFT JOIN uncounted ON uncounted.day = of.day
    ORDER BY of.day`);
}

const ItemRow = z.object({
  id: z.string(),
  name: z.string(),
  days: z.array(z.object({ day: z.string(), calls: z.number() })),
});

/**
 * Returns the calls by day of the items with most calls in a period, under their latest names;
 * without the items of teams that are not in `inside`.
 */
export function listDaysOfItems(
  db: Queryable,
  owner: OwnerRef,
  { period, inside, limit }: { period: Period; inside: ReadonlySet<string> | null; limit: number },
) {
  const isOutside =
    inside === null
      ? sql.fragment`false`
      : sql.fragment`EXISTS (SELECT FROM usage_share s
      WHERE s.organization_id = ${owner.id} AND s.part = 'item' AND s.part_id = item_id
        AND s.month = date_trunc('month', day)::date
        AND s.group_id <> ALL(${sql.array([...inside], 'uuid')}))`;
  return db.any(sql.type(ItemRow)`
    SELECT item_id AS id, (array_agg(item_name ORDER BY day DESC))[1] AS name,
      json_agg(json_build_object('day', to_char(day, 'YYYY-MM-DD'), 'calls', calls) ORDER BY day)
        AS days
    FROM usage_day
    WHERE ${ownedBy(owner)} AND day BETWEEN ${first(period)} AND ${last(period)}
      AND NOT ${isOutside}
    GROUP BY item_id ORDER BY sum(calls) DESC, item_id LIMIT ${limit}`);
}
