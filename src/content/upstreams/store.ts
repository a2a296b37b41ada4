import { positioned, sortedPage } from '../../platform/postgres/sorted-rows.ts';
import type { ListQuery } from '../../platform/http/list-query.ts';
import { z } from 'zod';
import type { QuotaOwner } from '../../caller/principal.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { withFallbackOnViolation } from '../../platform/postgres/violation.ts';
import type { MovedItem } from '../items/kind.ts';
import type { EncryptedColumn } from '../../platform/postgres/reencrypt.ts';

export const upstreamHeaders: EncryptedColumn<'space_id' | 'id'> = {
  table: 'upstream',
  column: 'headers',
  key: [['id', 'uuid']],
  bound: ['space_id'],
  ownerOf: ({ space_id, id }) => `${space_id} ${id}`,
  label: 'upstream-headers',
};

const UpstreamRow = z.object({
  id: z.string(),
  space_id: z.string(),
  name: z.string(),
  url: z.string(),
  header_names: z.array(z.string()),
  headers: z.instanceof(Buffer),
  version: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type UpstreamRow = z.infer<typeof UpstreamRow>;

const columns = sql.fragment`id, space_id, name, url, header_names, headers, version,
  created_at, updated_at`;

export interface UpstreamRef {
  id: string;
  space_id: string;
}

export type WrittenUpstream = Pick<UpstreamRow, 'name' | 'url' | 'header_names' | 'headers'>;

/** Saves a new upstream or a new version; null if another upstream of the space has the name. */
export function saveUpstream(
  transaction: Transaction,
  { id, space_id }: UpstreamRef,
  { name, url, header_names, headers }: WrittenUpstream,
): Promise<UpstreamRow | null> {
  return nullIfNamed(
    transaction.one(sql.type(UpstreamRow)`
      INSERT INTO upstream (id, space_id, name, url, header_names, headers)
      VALUES (${id}, ${space_id}, ${name}, ${url}, ${sql.array(header_names, 'text')},
        ${sql.binary(headers)})
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, url = excluded.url,
        header_names = excluded.header_names, headers = excluded.headers,
        version = upstream.version + 1, updated_at = now()
      WHERE upstream.space_id = excluded.space_id
      RETURNING ${columns}`),
  );
}

/** Moves an upstream to another space, with its headers encrypted for that space. */
export async function moveUpstream(
  transaction: Transaction,
  { id, from, to }: MovedItem,
  headers: Buffer,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE upstream SET space_id = ${to}, headers = ${sql.binary(headers)},
      version = version + 1, updated_at = now()
    WHERE id = ${id} AND space_id = ${from}`);
}

/** Returns null if the space has no such upstream. */
export function findUpstream(
  db: Queryable,
  { id, space_id }: UpstreamRef,
): Promise<UpstreamRow | null> {
  return db.maybeOne(sql.type(UpstreamRow)`
    SELECT ${columns} FROM upstream WHERE id = ${id} AND space_id = ${space_id}`);
}

const upstreamOrder = { id: sql.fragment`id`, name: sql.fragment`name` };

/** Returns a page of upstreams for `toRowsPage`. */
export function listUpstreams(db: Queryable, space_id: string, query: ListQuery) {
  const { position, conditions, order } = sortedPage(upstreamOrder, query);
  return db.any(sql.type(positioned(UpstreamRow))`
    SELECT ${columns}, ${position} FROM upstream
    WHERE space_id = ${space_id} ${conditions} ${order}`);
}

/** Counts the upstreams in all spaces that count against a quota owner's limits. */
export function countUpstreams(db: Queryable, quota_owner: QuotaOwner): Promise<number> {
  return db.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*) FROM upstream WHERE quota_owner_id = ${quota_owner.id}`);
}

export function isUpstreamNamed(
  db: Queryable,
  { space_id, name, except }: { space_id: string; name: string; except: string | null },
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM upstream WHERE space_id = ${space_id} AND name = ${name}
      AND id IS DISTINCT FROM ${except}::uuid`);
}

export async function deleteUpstream(
  transaction: Transaction,
  { id, space_id }: UpstreamRef,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    DELETE FROM upstream WHERE id = ${id} AND space_id = ${space_id}`);
  return rowCount === 1;
}

const nullIfNamed = (statement: Promise<UpstreamRow>) =>
  withFallbackOnViolation(statement, ['upstream_name_unique'], null);
