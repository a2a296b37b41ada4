import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { Family } from '../items/schema.ts';
import { spaceLists } from './schema.ts';

/** Makes the transaction read-only, with one snapshot for all statements. */
export async function beginSnapshot(transaction: Transaction): Promise<void> {
  await transaction.query(
    sql.typeAlias('void')`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`,
  );
}

const StoredName = z.object({
  list: z.enum(spaceLists),
  id: z.string(),
  name: z.string(),
  version: z.number(),
  /** Kind of a custom tool; `upstream` for a prompt or resource of an upstream; else null. */
  kind: z.string().nullable(),
});
/** A stored item or upstream; an import compares its entries with these to find conflicts. */
export type StoredName = z.infer<typeof StoredName>;

export function listStoredNames(db: Queryable, space_id: string): Promise<readonly StoredName[]> {
  return db.any(sql.type(StoredName)`
    SELECT CASE family WHEN 'tool' THEN 'custom_tools' ELSE family || 's' END AS list,
      id, name, version,
      coalesce(head->>'kind', CASE WHEN head->'upstream' IS NOT NULL THEN 'upstream' END) AS kind
    FROM item WHERE space_id = ${space_id}
    UNION ALL
    SELECT 'upstreams', id, name, version, NULL FROM upstream WHERE space_id = ${space_id}
    ORDER BY id`);
}

const ContentRow = z.object({
  id: z.string(),
  name: z.string(),
  content: z.record(z.string(), z.unknown()),
});
export type ContentRow = z.infer<typeof ContentRow>;

/** The part of a list after a name: at least one entry, if there is any, and about `room` bytes. */
export interface Range {
  space_id: string;
  after: string;
  room: number;
}

// Byte order, independent of locale, so that exports of the same space are identical.
const ORDER = sql.fragment`name COLLATE "C"`;

export function listContents(db: Queryable, family: Family, range: Range) {
  return db.any(sql.type(ContentRow)`
    SELECT id, name, content FROM (
      SELECT i.id, i.name, v.content,
        sum(v.bytes) OVER (ORDER BY i.${ORDER}) - v.bytes AS before
      FROM item i JOIN item_version v ON v.item_id = i.id AND v.version = i.version
      WHERE i.space_id = ${range.space_id} AND i.family = ${family}
        AND i.${ORDER} > ${range.after}
    ) list
    WHERE before <= ${range.room} ORDER BY ${ORDER}`);
}

const UpstreamRow = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  header_names: z.array(z.string()),
  oauth: z.record(z.string(), z.unknown()).nullable(),
});

export function listUpstreamsByName(db: Queryable, { space_id, after }: Range) {
  return db.any(sql.type(UpstreamRow)`
    SELECT id, name, url, header_names, (
      SELECT json_strip_nulls(json_build_object('connection', o.connection, 'scopes', o.scopes,
        'client_id', CASE o.client_source WHEN 'given' THEN o.client_id END))
      FROM upstream_oauth o WHERE o.upstream_id = upstream.id
    ) AS oauth
    FROM upstream
    WHERE space_id = ${space_id} AND ${ORDER} > ${after} ORDER BY ${ORDER} LIMIT 500`);
}

const NameRow = z.object({ id: z.string(), name: z.string() });

/** Returns the names of a space's upstreams by id. */
export async function readUpstreamNames(
  db: Queryable,
  space_id: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.any(sql.type(NameRow)`
    SELECT id, name FROM upstream WHERE space_id = ${space_id}`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
