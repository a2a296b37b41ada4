import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { withFallbackOnViolation } from '../../platform/postgres/violation.ts';
import type { MovedItem } from '../items/kind.ts';
import { contentFamilies, UpstreamPrompt, UpstreamResource } from '../upstreams/content/schema.ts';
import type { AnyUpstreamContent, ContentFamily } from '../upstreams/content/schema.ts';

const ContentPinRow = z.object({
  item_id: z.string(),
  family: z.enum(contentFamilies),
  /** Name of the prompt or path of the resource, here. */
  name: z.string(),
  /** Name of the prompt, or URI of the resource, at its upstream. */
  source: z.string(),
  pin: z.string(),
  found: z.union([UpstreamPrompt, UpstreamResource]).nullable(),
  held_at: z.string().nullable(),
  /** Since when the upstream no longer lists it. */
  missing_at: z.string().nullable(),
});
export type ContentPinRow = z.infer<typeof ContentPinRow>;

const columns = sql.fragment`
  p.item_id, p.family, i.name, p.source, p.pin, p.found, p.held_at, p.missing_at`;
const pins = sql.fragment`pinned_content p JOIN item i ON i.id = p.item_id`;

export interface NewContentPin {
  item_id: string;
  space_id: string;
  family: ContentFamily;
  upstream_id: string;
  source: string;
  pin: string;
}

/**
 * Saves the approved pin. Ends the quarantine only if the pin changes to the one that was found: a
 * rename or a restored older version does not end it. Returns false if the upstream was deleted.
 */
export function saveContentPin(transaction: Transaction, pinned: NewContentPin): Promise<boolean> {
  const { item_id, space_id, family, upstream_id, source, pin } = pinned;
  const endsQuarantine = sql.fragment`
    pinned_content.pin <> excluded.pin AND pinned_content.found->>'pin' = excluded.pin`;
  const saved = transaction.query(sql.typeAlias('void')`
      INSERT INTO pinned_content (item_id, space_id, family, upstream_id, source, pin)
      VALUES (${item_id}, ${space_id}, ${family}, ${upstream_id}, ${source}, ${pin})
      ON CONFLICT (item_id) DO UPDATE SET upstream_id = excluded.upstream_id,
        source = excluded.source, pin = excluded.pin,
        found = CASE WHEN ${endsQuarantine} THEN NULL ELSE pinned_content.found END,
        held_at = CASE WHEN ${endsQuarantine} THEN NULL ELSE pinned_content.held_at END`);
  return withFallbackOnViolation(
    saved.then(() => true),
    ['pinned_content_upstream'],
    false,
  );
}

/** Moves the pin of an item to another space; null if the item has none. */
export function moveContentPin(transaction: Transaction, { id, from, to }: MovedItem) {
  return transaction.maybeOne(sql.type(z.object({ upstream_id: z.string() }))`
    UPDATE pinned_content SET space_id = ${to} WHERE item_id = ${id} AND space_id = ${from}
    RETURNING upstream_id`);
}

/**
 * Ends the quarantine if the upstream has restored the approved description; else returns false.
 */
export async function releaseContentPin(
  transaction: Transaction,
  { space_id, item_id }: { space_id: string; item_id: string },
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    UPDATE pinned_content SET found = NULL, held_at = NULL
    WHERE item_id = ${item_id} AND space_id = ${space_id} AND found->>'pin' = pin`);
  return rowCount === 1;
}

/** Returns null if the space has no such item of an upstream. */
export function findContentPin(
  db: Queryable,
  { space_id, item_id }: { space_id: string; item_id: string },
): Promise<ContentPinRow | null> {
  return db.maybeOne(sql.type(ContentPinRow)`
    SELECT ${columns} FROM ${pins} WHERE p.item_id = ${item_id} AND p.space_id = ${space_id}`);
}

/** Returns the prompts and resources that use an upstream. */
export function listContentPins(db: Queryable, upstream_id: string) {
  return db.any(sql.type(ContentPinRow)`
    SELECT ${columns} FROM ${pins} WHERE p.upstream_id = ${upstream_id}`);
}

const ChangedContentPin = ContentPinRow.extend({ content: z.record(z.string(), z.unknown()) });
export type ChangedContentPin = z.infer<typeof ChangedContentPin>;

/** Returns what its upstream has changed or no longer lists, with what was approved. */
export function listChangedContent(db: Queryable, upstream_id: string) {
  return db.any(sql.type(ChangedContentPin)`
    SELECT ${columns}, v.content FROM ${pins}
    JOIN item_version v ON v.item_id = i.id AND v.version = i.version
    WHERE p.upstream_id = ${upstream_id} AND (p.held_at IS NOT NULL OR p.missing_at IS NOT NULL)
    ORDER BY p.family, i.name`);
}

/** Marks what an upstream no longer lists, and removes the mark from the rest of the family. */
export async function markContentMissing(
  db: Queryable,
  { upstream_id, family }: { upstream_id: string; family: ContentFamily },
  sources: readonly string[],
): Promise<void> {
  const isListed = sql.fragment`source = ANY(${sql.array([...sources], 'text')})`;
  await db.query(sql.typeAlias('void')`
    UPDATE pinned_content SET missing_at = CASE WHEN ${isListed} THEN NULL ELSE now() END
    WHERE upstream_id = ${upstream_id} AND family = ${family}
      AND ${isListed} = (missing_at IS NOT NULL)`);
}

/** Quarantines an item, unless another pin has been approved since. */
export async function quarantineContentPin(
  transaction: Transaction,
  { item_id, pin, found }: { item_id: string; pin: string; found: AnyUpstreamContent },
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE pinned_content SET found = ${sql.jsonb(found)}, held_at = coalesce(held_at, now())
    WHERE item_id = ${item_id} AND pin = ${pin}`);
}
