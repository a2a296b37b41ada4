import { knownAddress } from '../../caller/membership.ts';
import type { ScopeState } from '../../caller/scope.ts';
import type { OrganizationState } from '../../caller/principal.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Database, Transaction } from '../../platform/postgres/database.ts';
import { z } from 'zod';
import { TokenRecord } from './schema.ts';

/** Identifies a token and its organization. */
export interface TokenKey {
  id: string;
  organization_id: string;
}

const columns = sql.fragment`t.id, t.name, t.prefix, t.created_at, t.last_used_at,
  CASE WHEN a.id IS NOT NULL
    THEN json_build_object('account_id', a.id, 'email', ${knownAddress}) END AS created_by`;
const source = sql.fragment`
  FROM scim_token t LEFT JOIN account a ON a.id = t.created_by
  LEFT JOIN membership m ON m.account_id = a.id AND m.organization_id = t.organization_id`;

/** Returns the tokens of an organization, newest first. */
export function listTokens(db: Queryable, organization_id: string) {
  return db.any(sql.type(TokenRecord)`
    SELECT ${columns} ${source} WHERE t.organization_id = ${organization_id} ORDER BY t.id DESC`);
}

export function findToken(db: Queryable, { id, organization_id }: TokenKey) {
  return db.maybeOne(sql.type(TokenRecord)`
    SELECT ${columns} ${source}
    WHERE t.id = ${id} AND t.organization_id = ${organization_id}`);
}

export function countTokens(db: Queryable, organization_id: string): Promise<number> {
  return db.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*) FROM scim_token WHERE organization_id = ${organization_id}`);
}

export async function insertToken(
  transaction: Transaction,
  token: TokenKey & {
    name: string;
    prefix: string;
    hash: Buffer;
    created_by: string;
    may_change_emails: boolean;
  },
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO scim_token (id, organization_id, name, prefix, token_hash, created_by,
      may_change_emails)
    VALUES (${token.id}, ${token.organization_id}, ${token.name}, ${token.prefix},
      ${sql.binary(token.hash)}, ${token.created_by}, ${token.may_change_emails})`);
}

/** Deletes a token, which is rejected from then on; false if it is gone already. */
export async function deleteToken(
  transaction: Transaction,
  { id, organization_id }: TokenKey,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    DELETE FROM scim_token WHERE id = ${id} AND organization_id = ${organization_id}`);
  return rowCount === 1;
}

/** Records the use of a token, at most once a minute. */
export async function touchToken(db: Queryable, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE scim_token SET last_used_at = now()
    WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`);
}

/** A token as read from the primary, with its organization and the organization's scope. */
export interface LiveToken extends Record<string, unknown> {
  id: string;
  organization: OrganizationState;
  scope: ScopeState;
  /** Whether it may change the addresses of accounts that the organization manages. */
  may_change_emails: boolean;
  used_recently: boolean;
}

const tokenQuery = (condition: string) => `
  SELECT t.id, t.may_change_emails, json_build_object('id', g.id, 'status', g.status, 'plan', g.plan) AS organization,
    json_build_object('kind', s.kind, 'id', s.id, 'revision', s.revision,
      'applied', s.applied, 'nonce', s.nonce, 'content', s.content) AS scope,
    coalesce(t.last_used_at > now() - interval '1 minute', false) AS used_recently
  FROM scim_token t
  JOIN organization g ON g.id = t.organization_id AND g.deleted_at IS NULL
  JOIN authz_scope s ON s.kind = 'organization' AND s.id = g.id
  WHERE ${condition}`;
const byHash = { name: 'scim-token', text: tokenQuery('t.token_hash = $1') };
const byId = { name: 'scim-token-by-id', text: tokenQuery('t.id = $1') };

/** Returns a token; null if there is none, or its organization is deleted. */
export async function readToken(
  hot: Database['authPool'],
  token: { hash: Buffer } | { id: string },
): Promise<LiveToken | null> {
  const query =
    'hash' in token ? { ...byHash, values: [token.hash] } : { ...byId, values: [token.id] };
  return (await hot.query<LiveToken>(query)).rows[0] ?? null;
}
