import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { withFallbackOnViolation } from '../../platform/postgres/violation.ts';
import type { MovedItem } from '../items/kind.ts';
import { families } from '../items/schema.ts';
import { UpstreamTool } from '../upstreams/schema.ts';

const PinRow = z.object({
  item_id: z.string(),
  /** Name of the custom tool. */
  name: z.string(),
  tool: z.string(),
  pin: z.string(),
  found: UpstreamTool.nullable(),
  held_at: z.string().nullable(),
  /** Since when the upstream no longer lists the tool. */
  missing_at: z.string().nullable(),
});
export type PinRow = z.infer<typeof PinRow>;

const columns = sql.fragment`p.item_id, i.name, p.tool, p.pin, p.found, p.held_at, p.missing_at`;
const pins = sql.fragment`pinned_tool p JOIN item i ON i.id = p.item_id`;

export interface NewPin {
  item_id: string;
  space_id: string;
  upstream_id: string;
  tool: string;
  pin: string;
}

/**
 * Saves the approved pin. Ends the quarantine only if the pin changes to the one that was found: a
 * rename or a restored older version does not end it. Returns false if the upstream was deleted.
 */
export async function savePin(transaction: Transaction, pinned: NewPin): Promise<boolean> {
  const { item_id, space_id, upstream_id, tool, pin } = pinned;
  const endsQuarantine = sql.fragment`
    pinned_tool.pin <> excluded.pin AND pinned_tool.found->>'pin' = excluded.pin`;
  const saved = transaction.query(sql.typeAlias('void')`
      INSERT INTO pinned_tool (item_id, space_id, upstream_id, tool, pin)
      VALUES (${item_id}, ${space_id}, ${upstream_id}, ${tool}, ${pin})
      ON CONFLICT (item_id) DO UPDATE SET upstream_id = excluded.upstream_id,
        tool = excluded.tool, pin = excluded.pin,
        found = CASE WHEN ${endsQuarantine} THEN NULL ELSE pinned_tool.found END,
        held_at = CASE WHEN ${endsQuarantine} THEN NULL ELSE pinned_tool.held_at END`);
  return withFallbackOnViolation(
    saved.then(() => true),
    ['pinned_tool_upstream_id_fkey'],
    false,
  );
}

/** Moves the pin of a tool to another space; null if the tool has none. */
export function movePin(transaction: Transaction, { id, from, to }: MovedItem) {
  return transaction.maybeOne(sql.type(z.object({ upstream_id: z.string() }))`
    UPDATE pinned_tool SET space_id = ${to} WHERE item_id = ${id} AND space_id = ${from}
    RETURNING upstream_id`);
}

/**
 * Ends the quarantine if the upstream has restored the approved description; else returns false.
 */
export async function releasePin(
  transaction: Transaction,
  { space_id, item_id }: Pick<NewPin, 'space_id' | 'item_id'>,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    UPDATE pinned_tool SET found = NULL, held_at = NULL
    WHERE item_id = ${item_id} AND space_id = ${space_id} AND found->>'pin' = pin`);
  return rowCount === 1;
}

export function listPins(db: Queryable, upstream_id: string) {
  return db.any(sql.type(PinRow)`
    SELECT ${columns} FROM ${pins} WHERE p.upstream_id = ${upstream_id}`);
}

const ChangedPin = PinRow.extend({ content: z.record(z.string(), z.unknown()) });
export type ChangedPin = z.infer<typeof ChangedPin>;

/** Returns the tools that their upstream has changed or no longer lists, with what was approved. */
export function listChanged(db: Queryable, upstream_id: string) {
  return db.any(sql.type(ChangedPin)`
    SELECT ${columns}, v.content FROM ${pins}
    JOIN item_version v ON v.item_id = i.id AND v.version = i.version
    WHERE p.upstream_id = ${upstream_id} AND (p.held_at IS NOT NULL OR p.missing_at IS NOT NULL)
    ORDER BY i.name`);
}

/** Marks the tools that an upstream no longer lists, and removes the mark from the others. */
export async function markMissing(
  db: Queryable,
  upstream_id: string,
  tools: readonly string[],
): Promise<void> {
  const isListed = sql.fragment`tool = ANY(${sql.array([...tools], 'text')})`;
  await db.query(sql.typeAlias('void')`
    UPDATE pinned_tool SET missing_at = CASE WHEN ${isListed} THEN NULL ELSE now() END
    WHERE upstream_id = ${upstream_id} AND ${isListed} = (missing_at IS NOT NULL)`);
}

/** Returns null if the space has no such tool. */
export function findPin(
  db: Queryable,
  { space_id, item_id }: { space_id: string; item_id: string },
): Promise<PinRow | null> {
  return db.maybeOne(sql.type(PinRow)`
    SELECT ${columns} FROM ${pins}
    WHERE p.item_id = ${item_id} AND p.space_id = ${space_id}`);
}

/** Quarantines a tool, unless another pin has been approved since. */
export async function quarantinePin(
  transaction: Transaction,
  { item_id, pin, found }: { item_id: string; pin: string; found: UpstreamTool },
): Promise<void> {
  const json = sql.jsonb(found);
  await transaction.query(sql.typeAlias('void')`
    UPDATE pinned_tool SET found = ${json}, held_at = coalesce(held_at, now())
    WHERE item_id = ${item_id} AND pin = ${pin}`);
}

const QuarantinedRow = z.object({ item_id: z.string(), space_id: z.string(), held_at: z.string() });

/** Lists the quarantined items of these spaces, of all families. */
export function listQuarantined(db: Queryable, spaceIds: readonly string[]) {
  const isHeld = sql.fragment`
    space_id = ANY(${sql.array([...spaceIds], 'uuid')}) AND held_at IS NOT NULL`;
  return db.any(sql.type(QuarantinedRow)`
    SELECT item_id, space_id, held_at FROM pinned_tool WHERE ${isHeld}
    UNION ALL
    SELECT item_id, space_id, held_at FROM pinned_content WHERE ${isHeld}`);
}

const UserRow = z.object({ item_id: z.string(), family: z.enum(families) });

/** Returns the items that use an upstream. */
export function listUsers(db: Queryable, upstream_id: string) {
  return db.any(sql.type(UserRow)`
    SELECT item_id, 'tool' AS family FROM pinned_tool WHERE upstream_id = ${upstream_id}
    UNION ALL
    SELECT item_id, family FROM pinned_content WHERE upstream_id = ${upstream_id}`);
}
