import { z } from 'zod';
import { sql } from '../../../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../../../platform/postgres/database.ts';
import type { EncryptedColumn } from '../../../../platform/postgres/reencrypt.ts';
import { ServerMetadata } from '../server-metadata.ts';

/** Tokens are bound to their holder, and to the address that they may be sent to. */
export const upstreamTokens: EncryptedColumn<'upstream_id' | 'holder_id' | 'url' | 'id'> = {
  table: 'upstream_authorization',
  column: 'sealed',
  key: [['id', 'uuid']],
  bound: ['upstream_id', 'holder_id', 'url'],
  ownerOf: ({ upstream_id, holder_id, url }) => `${upstream_id} ${holder_id} ${url}`,
  label: 'upstream-tokens',
};

const AuthorizationRow = z.object({
  id: z.string(),
  upstream_id: z.string(),
  holder_id: z.string(),
  url: z.string(),
  server: ServerMetadata,
  sealed: z.instanceof(Buffer).nullable(),
  /** Null if the authorization server did not say when the token expires. */
  seconds_left: z.number().nullable(),
  generation: z.number(),
});
export type AuthorizationRow = z.infer<typeof AuthorizationRow>;

const columns = sql.fragment`a.id, a.upstream_id, a.holder_id, a.url, a.server, a.sealed,
  extract(epoch FROM a.expires_at - now())::float8 AS seconds_left, a.generation`;

/** Identity of an authorization. */
export interface Holder {
  upstream_id: string;
  /** An account, or the upstream itself for the one that its space shares. */
  holder_id: string;
}

/** Returns the authorization for an address; null if there is none. */
export function findAuthorization(
  db: Queryable,
  { upstream_id, holder_id, url }: Holder & { url: string },
): Promise<AuthorizationRow | null> {
  return db.maybeOne(sql.type(AuthorizationRow)`
    SELECT ${columns} FROM upstream_authorization a
    WHERE a.upstream_id = ${upstream_id} AND a.holder_id = ${holder_id} AND a.url = ${url}`);
}

export interface NewAuthorization extends Holder {
  id: string;
  membership_id: string | null;
  team_id: string | null;
  connected_by: string;
  url: string;
  server: ServerMetadata;
  account: string | null;
  scopes: readonly string[];
  sealed: Buffer;
  expires_in: number | null;
}

/** Saves the authorization of a holder, in place of the one before. */
export async function saveAuthorization(
  transaction: Transaction,
  authorization: NewAuthorization,
): Promise<void> {
  const { upstream_id, holder_id, membership_id, team_id, connected_by, ...rest } = authorization;
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO upstream_authorization (id, upstream_id, holder_id, membership_id, team_id,
      connected_by, url, server, account, scopes, sealed, expires_at)
    VALUES (${rest.id}, ${upstream_id}, ${holder_id}, ${membership_id}, ${team_id},
      ${connected_by}, ${rest.url}, ${sql.jsonb({ ...rest.server })}, ${rest.account},
      ${sql.array([...rest.scopes], 'text')}, ${sql.binary(rest.sealed)},
      now() + make_interval(secs => ${rest.expires_in}))`);
}

/**
 * Deletes authorizations of an upstream, of one holder or of all. A trigger notes their tokens for
 * revocation.
 */
export async function deleteAuthorizations(
  transaction: Transaction,
  { upstream_id, holder_id = null }: { upstream_id: string; holder_id?: string | null },
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM upstream_authorization
    WHERE upstream_id = ${upstream_id}
      AND (${holder_id}::uuid IS NULL OR holder_id = ${holder_id}::uuid)`);
}

/**
 * Begins the refresh of a generation, unless another gateway is refreshing it. Only one caller gets
 * true, and the others only after `seconds`.
 */
export async function beginRefresh(
  db: Queryable,
  { id, generation }: Pick<AuthorizationRow, 'id' | 'generation'>,
  { refresh_id, seconds }: { refresh_id: string; seconds: number },
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE upstream_authorization SET refresh_id = ${refresh_id},
      refreshing_until = clock_timestamp() + make_interval(secs => ${seconds})
    WHERE id = ${id} AND generation = ${generation} AND sealed IS NOT NULL
      AND (refreshing_until IS NULL OR refreshing_until < clock_timestamp())`);
  return rowCount === 1;
}

interface Refresh {
  id: string;
  refresh_id: string;
}

/** Saves refreshed tokens; false if another gateway took the refresh over. */
export async function saveRefreshed(
  db: Queryable,
  { id, refresh_id }: Refresh,
  {
    sealed,
    expires_in,
    scopes,
  }: { sealed: Buffer; expires_in: number | null; scopes: string[] | null },
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE upstream_authorization SET sealed = ${sql.binary(sealed)},
      expires_at = now() + make_interval(secs => ${expires_in}), refreshed_at = now(),
      scopes = coalesce(${scopes === null ? null : sql.array(scopes, 'text')}, scopes),
      generation = generation + 1, refresh_id = NULL, refreshing_until = NULL
    WHERE id = ${id} AND refresh_id = ${refresh_id} AND sealed IS NOT NULL`);
  return rowCount === 1;
}

/** Lets others try after a refresh that failed. */
export async function abandonRefresh(db: Queryable, { id, refresh_id }: Refresh): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE upstream_authorization SET refresh_id = NULL, refreshing_until = NULL
    WHERE id = ${id} AND refresh_id = ${refresh_id}`);
}

/** Ends a generation that the authorization server or the upstream no longer accepts. */
export async function endAuthorization(
  db: Queryable,
  { id, generation }: Pick<AuthorizationRow, 'id' | 'generation'>,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE upstream_authorization SET sealed = NULL, refresh_id = NULL, refreshing_until = NULL
    WHERE id = ${id} AND generation = ${generation}`);
}

const ShownRow = z.object({
  url: z.string(),
  is_ended: z.boolean(),
  account: z.string().nullable(),
  scopes: z.array(z.string()),
  connected_by: z.string(),
  connected_by_email: z.string().nullable(),
  connected_at: z.string(),
  refreshed_at: z.string(),
});

/** Returns what is shown of an authorization; null if there is none. */
export function findShown(db: Queryable, { upstream_id, holder_id }: Holder) {
  return db.maybeOne(sql.type(ShownRow)`
    SELECT a.url, a.sealed IS NULL AS is_ended, a.account, a.scopes, a.connected_by,
      p.email AS connected_by_email, a.connected_at, a.refreshed_at
    FROM upstream_authorization a LEFT JOIN account p ON p.id = a.connected_by
    WHERE a.upstream_id = ${upstream_id} AND a.holder_id = ${holder_id}`);
}
