import { positioned, sortedPage } from '../../platform/postgres/sorted-rows.ts';
import type { ListQuery } from '../../platform/http/list-query.ts';
import { z } from 'zod';
import type { QuotaOwner } from '../../caller/principal.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { withFallbackOnViolation } from '../../platform/postgres/violation.ts';
import type { MovedItem } from '../items/kind.ts';
import type { EncryptedColumn } from '../../platform/postgres/reencrypt.ts';
import { OAuthRecord } from './oauth/schema.ts';
import { ServerMetadata } from './oauth/server-metadata.ts';

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
  /** Null if it is not authorized with OAuth. */
  oauth: OAuthRecord.nullable(),
});
export type UpstreamRow = z.infer<typeof UpstreamRow>;

const columns = sql.fragment`upstream.id, space_id, name, upstream.url, header_names, headers,
  version, created_at, updated_at, (
    SELECT jsonb_build_object('connection', o.connection, 'scopes', o.scopes,
      'client_id', CASE o.client_source WHEN 'given' THEN o.client_id END,
      'has_client_secret', o.client_source = 'given' AND o.client_secret IS NOT NULL,
      'issuer', o.issuer)
    FROM upstream_oauth o WHERE o.upstream_id = upstream.id
  ) AS oauth`;

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

const CalledRow = UpstreamRow.extend({
  authorization: z
    .object({
      id: z.string(),
      upstream_id: z.string(),
      holder_id: z.string(),
      url: z.string(),
      server: ServerMetadata,
      seconds_left: z.number().nullable(),
      generation: z.number(),
    })
    .nullable(),
  sealed: z.instanceof(Buffer).nullable(),
});
export type CalledRow = z.infer<typeof CalledRow>;

/**
 * Returns an upstream with the authorization that a call of this person may use; null if the space
 * has no such upstream.
 */
export function findCalled(
  db: Queryable,
  { id, space_id }: UpstreamRef,
  person: string | null,
): Promise<CalledRow | null> {
  return db.maybeOne(sql.type(CalledRow)`
    SELECT ${columns}, a.sealed, CASE WHEN a.id IS NOT NULL THEN jsonb_build_object(
        'id', a.id, 'upstream_id', a.upstream_id, 'holder_id', a.holder_id, 'url', a.url,
        'server', a.server, 'generation', a.generation,
        'seconds_left', extract(epoch FROM a.expires_at - now())) END AS authorization
    FROM upstream
    LEFT JOIN upstream_oauth s ON s.upstream_id = upstream.id
    LEFT JOIN upstream_authorization a ON a.upstream_id = s.upstream_id AND a.url = upstream.url
      AND a.holder_id = CASE s.connection WHEN 'shared' THEN s.upstream_id ELSE ${person}::uuid END
    WHERE upstream.id = ${id} AND space_id = ${space_id}`);
}

const upstreamOrder = { id: sql.fragment`upstream.id`, name: sql.fragment`name` };

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
