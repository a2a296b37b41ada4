import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { addedSince } from '../added-since.ts';
import type { AddedSince } from '../added-since.ts';

const AccessRow = z.object({ account_id: z.string(), since: z.string() });

/** Locks every account that the identity providers of an organization have been able to sign in to. */
export async function lockAccountsWithAccess(
  db: Queryable,
  organization_id: string,
): Promise<void> {
  // In the order of `lockAccounts`.
  await db.query(sql.typeAlias('void')`
    SELECT FROM account
    WHERE id IN (SELECT account_id FROM sso_access WHERE organization_id = ${organization_id})
    ORDER BY id FOR NO KEY UPDATE`);
}

/**
 * Returns since when the identity providers of an organization have been able to sign in to these
 * accounts, without those that they never could.
 */
export function listAccess(
  db: Queryable,
  {
    organization_id,
    account_ids,
  }: { organization_id: string; account_ids: readonly string[] | 'all' },
): Promise<readonly AddedSince[]> {
  const theirs =
    account_ids === 'all'
      ? sql.fragment`true`
      : sql.fragment`account_id = ANY(${sql.array([...account_ids], 'uuid')})`;
  return db.any(sql.type(AccessRow)`
    SELECT account_id, since FROM sso_access
    WHERE organization_id = ${organization_id} AND ${theirs}`);
}

const AddressRow = z.object({ id: z.string(), email: z.string() });

/** Returns the addresses of those of these accounts that have one. */
export function listAddresses(db: Queryable, ids: readonly string[]) {
  return db.any(sql.type(AddressRow)`
    SELECT id, email FROM account
    WHERE id = ANY(${sql.array([...ids], 'uuid')}) AND email IS NOT NULL ORDER BY id`);
}

/**
 * The times since which identity providers of organizations that the person is a member of have been
 * able to sign in to the account. They could not add anything without a membership.
 */
const accessTo = (id: string) => sql.fragment`
  SELECT o.organization_id, o.since FROM sso_access o JOIN membership m
    ON m.account_id = o.account_id AND m.organization_id = o.organization_id AND m.left_at IS NULL
  WHERE o.account_id = ${id}`;

/** A session, and when something that it is about to remove was added; null: it is not about that. */
export interface Proving {
  account_id: string;
  session_id: string;
  added_at: string | null;
}

/**
 * Returns whether the session proves only what anyone who controls the identity provider of an
 * organization can prove: the account has no password, and the session was opened since they have
 * access, with a method that is not older. They may remove what is not older than that either.
 */
export function provesOnlySignIn(
  db: Queryable,
  { account_id, session_id, added_at }: Proving,
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM account, (${accessTo(account_id)}) AS access
    WHERE account.id = ${account_id} AND account.password_hash IS NULL
      AND coalesce(${added_at}::timestamptz < access.since, true)
      AND NOT EXISTS (SELECT FROM account_session
        WHERE id = ${session_id} AND least(created_at, method_since) < access.since)`);
}

/**
 * Returns whether the session proves only what anyone who controls the identity provider of another
 * organization can prove. Other than one that this organization's own provider opened, it is then no
 * proof for it. What an account does that another organization manages is done in its name.
 */
export function provesOnlySignInElsewhere(
  db: Queryable,
  {
    account_id,
    session_id,
    organization_id,
  }: { account_id: string; session_id: string; organization_id: string },
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM account, (${accessTo(account_id)}) AS access
    WHERE account.id = ${account_id} AND account.password_hash IS NULL
      AND access.organization_id <> ${organization_id}
      AND access.organization_id IS DISTINCT FROM account.managed_by
      AND NOT EXISTS (SELECT FROM account_session s
        WHERE s.id = ${session_id} AND (least(s.created_at, s.method_since) < access.since
          OR EXISTS (SELECT FROM sso_connection c WHERE c.id = s.sso_connection_id
            AND c.organization_id = ${organization_id})))`);
}

/**
 * Returns whether an account that loses a sign-in method still has one that the end of a membership
 * does not remove. Also returns true if that end would have removed the lost method, which the account
 * had since `removed`: nothing lasting is lost then.
 */
export function hasLastingSignInMethod(
  db: Queryable,
  { id, removed }: { id: string; removed: string },
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    WITH access AS (SELECT coalesce(min(since), 'infinity') AS since FROM (${accessTo(id)}) AS o)
    SELECT FROM access WHERE since <= ${removed}::timestamptz
    UNION ALL SELECT FROM account
      WHERE id = ${id} AND password_hash IS NOT NULL AND email IS NOT NULL
    UNION ALL SELECT FROM account_identity i, access WHERE account_id = ${id} AND created_at < since
    UNION ALL SELECT FROM account_passkey p, access WHERE account_id = ${id} AND created_at < since`);
}

/**
 * Forgets the access of organizations that began at or after `since`: nothing is left that it could
 * have added.
 */
export async function deleteAccessSince(
  db: Queryable,
  added: readonly AddedSince[],
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    DELETE FROM sso_access o USING ${addedSince(added)}
    WHERE o.account_id = added.account_id AND o.since >= added.since`);
}
