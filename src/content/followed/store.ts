import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import {
  contentFamilies,
  sourceOf,
  UpstreamPrompt,
  UpstreamResource,
} from '../upstreams/content/schema.ts';
import type { AnyUpstreamContent, ContentFamily } from '../upstreams/content/schema.ts';
import { UpstreamTool } from '../upstreams/schema.ts';
import { ContentFilter, ToolFilter } from './schema.ts';

const ContentFilters = z.object({
  prompt: ContentFilter.optional(),
  resource: ContentFilter.optional(),
});
/** Which prompts and resources are meant; none of a family that is missing. */
export type ContentFilters = z.infer<typeof ContentFilters>;

const FollowedRow = z.object({
  prefix: z.string(),
  filter: ToolFilter,
  content_filters: ContentFilters,
  checked_at: z.string().nullable(),
  failure: z.string().nullable(),
});
export type FollowedRow = z.infer<typeof FollowedRow>;
/** How to follow an upstream. */
export type Wanted = Pick<FollowedRow, 'prefix' | 'filter' | 'content_filters'>;

const columns = sql.fragment`f.prefix, f.filter, f.content_filters, f.checked_at, f.failure`;

// Between two refreshes of an upstream that announces changes: it may do so all the time.
const PAUSE = '30 seconds';
// A gateway that stopped during a refresh leaves it to others after this time.
const LEASE = '2 minutes';
// Spread a little, so that upstreams that were added together are not refreshed together.
const NEXT = sql.fragment`now() + interval '1 hour' - random() * interval '5 minutes'`;

/** Returns null if the upstream is not followed. */
export function findFollowed(db: Queryable, upstream_id: string): Promise<FollowedRow | null> {
  return db.maybeOne(sql.type(FollowedRow)`
    SELECT ${columns} FROM followed_upstream f WHERE f.upstream_id = ${upstream_id}`);
}

/** Follows an upstream whose tools have just been listed. */
export async function follow(
  transaction: Transaction,
  upstream_id: string,
  { prefix, filter, content_filters }: Wanted,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO followed_upstream (upstream_id, prefix, filter, content_filters, due_at, checked_at)
    VALUES (${upstream_id}, ${prefix}, ${sql.jsonb(filter)}, ${sql.jsonb(content_filters)},
      ${NEXT}, now())
    ON CONFLICT (upstream_id) DO UPDATE SET prefix = excluded.prefix, filter = excluded.filter,
      content_filters = excluded.content_filters, checked_at = excluded.checked_at, failure = NULL`);
}

export async function unfollow(transaction: Transaction, upstream_id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM followed_upstream WHERE upstream_id = ${upstream_id}`);
}

const DueRow = z.object({ upstream_id: z.string(), space_id: z.string() });
export type DueRow = z.infer<typeof DueRow>;

/**
 * Takes an upstream that is due, so that no other gateway does; null if there is none. Those of
 * deactivated accounts and of suspended or deleted organizations wait.
 */
export function takeDue(db: Queryable): Promise<DueRow | null> {
  return db.maybeOne(sql.type(DueRow)`
    UPDATE followed_upstream taken
    SET due_at = now() + ${LEASE}::interval, attempted_at = now()
    FROM (
      SELECT f.upstream_id, s.id AS space_id FROM followed_upstream f
      JOIN upstream u ON u.id = f.upstream_id
      JOIN space s ON s.id = u.space_id
      LEFT JOIN organization o ON o.id = s.organization_id
      LEFT JOIN account a ON a.id = s.account_id
      WHERE f.due_at <= now() AND coalesce(o.status, 'active') = 'active'
        AND o.deleted_at IS NULL AND coalesce(a.status, 'active') = 'active'
      ORDER BY f.due_at LIMIT 1 FOR UPDATE OF f SKIP LOCKED
    ) due
    WHERE taken.upstream_id = due.upstream_id
    RETURNING taken.upstream_id, due.space_id`);
}

/** Records how a refresh ended. What was announced during it is looked at soon. */
export async function finishRefresh(
  db: Queryable,
  upstream_id: string,
  failure: string | null,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE followed_upstream SET failure = ${failure},
      checked_at = CASE WHEN ${failure}::text IS NULL THEN now() ELSE checked_at END,
      due_at = CASE WHEN announced_at > attempted_at THEN now() + ${PAUSE}::interval
        ELSE ${NEXT} END
    WHERE upstream_id = ${upstream_id}`);
}

/** Makes an upstream due that announced a change; returns in how many seconds, null if it is not followed. */
export function announce(db: Queryable, upstream_id: string): Promise<number | null> {
  return db.maybeOneFirst(sql.type(z.object({ seconds: z.number() }))`
    UPDATE followed_upstream SET announced_at = now(),
      due_at = least(due_at, greatest(now(), attempted_at + ${PAUSE}::interval))
    WHERE upstream_id = ${upstream_id}
    RETURNING extract(epoch FROM due_at - now())::float8 AS seconds`);
}

/** Replaces what waits to be added; what waits unchanged keeps its time. */
export async function saveOffered(
  transaction: Transaction,
  upstream_id: string,
  { tools, ...content }: { tools: readonly UpstreamTool[] } & OfferedContent,
): Promise<void> {
  // A change that stops following at the same time comes first or waits.
  const isFollowed = await transaction.exists(sql.typeAlias('void')`
    SELECT FROM followed_upstream WHERE upstream_id = ${upstream_id} FOR UPDATE`);
  if (!isFollowed) return;
  await saveOfferedTools(transaction, upstream_id, tools);
  for (const family of contentFamilies)
    await saveOfferedContent(transaction, { upstream_id, family }, content[family]);
}

/** Prompts and resources that wait to be added. */
export type OfferedContent = Readonly<Record<ContentFamily, readonly AnyUpstreamContent[]>>;

async function saveOfferedTools(
  transaction: Transaction,
  upstream_id: string,
  tools: readonly UpstreamTool[],
): Promise<void> {
  const names = tools.map(({ name }) => name);
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM offered_tool
    WHERE upstream_id = ${upstream_id} AND tool <> ALL(${sql.array(names, 'text')})`);
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO offered_tool (upstream_id, tool, found)
    SELECT ${upstream_id}, found->>'name', found FROM jsonb_array_elements(${sql.jsonb([...tools])}) found
    ON CONFLICT (upstream_id, tool) DO UPDATE SET found = excluded.found, found_at = now()
    WHERE offered_tool.found->>'pin' <> excluded.found->>'pin'`);
}

async function saveOfferedContent(
  transaction: Transaction,
  { upstream_id, family }: { upstream_id: string; family: ContentFamily },
  offered: readonly AnyUpstreamContent[],
): Promise<void> {
  const sources = offered.map(sourceOf);
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM offered_content WHERE upstream_id = ${upstream_id} AND family = ${family}
      AND source <> ALL(${sql.array(sources, 'text')})`);
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO offered_content (upstream_id, family, source, found)
    SELECT ${upstream_id}, ${family}, coalesce(found->>'uri', found->>'name'), found
    FROM jsonb_array_elements(${sql.jsonb([...offered])}) found
    ON CONFLICT (upstream_id, family, source) DO UPDATE SET found = excluded.found, found_at = now()
    WHERE offered_content.found->>'pin' <> excluded.found->>'pin'`);
}

const OfferedRow = z.object({ found: UpstreamTool, found_at: z.string() });
export type OfferedRow = z.infer<typeof OfferedRow>;

/** Returns the tools that wait to be added, by name. */
export function listOffered(db: Queryable, upstream_id: string) {
  return db.any(sql.type(OfferedRow)`
    SELECT o.found, o.found_at FROM offered_tool o
    WHERE o.upstream_id = ${upstream_id} AND NOT EXISTS (
      SELECT FROM pinned_tool p WHERE p.upstream_id = o.upstream_id AND p.tool = o.tool)
    ORDER BY o.tool`);
}

const OfferedContentRow = z.object({
  found: z.union([UpstreamPrompt, UpstreamResource]),
  found_at: z.string(),
});
export type OfferedContentRow = z.infer<typeof OfferedContentRow>;

/** Returns the prompts and resources that wait to be added, by name or URI. */
export function listOfferedContent(db: Queryable, upstream_id: string) {
  return db.any(sql.type(OfferedContentRow)`
    SELECT o.found, o.found_at FROM offered_content o
    WHERE o.upstream_id = ${upstream_id} AND NOT EXISTS (
      SELECT FROM pinned_content p
      WHERE p.upstream_id = o.upstream_id AND p.family = o.family AND p.source = o.source)
    ORDER BY o.family, o.source`);
}
