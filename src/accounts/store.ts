import { z } from 'zod';
import { sql } from '../platform/postgres/database.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import type { ProfileChange } from './profile/profile-rules.ts';
import { addedSince } from './added-since.ts';
import type { AddedSince } from './added-since.ts';
import { mayReset } from './managed/store.ts';
import { Account } from './schema.ts';

const StateRow = z.object({ id: z.string(), status: z.enum(['active', 'deactivated']) });

/** Returns an account as its owner sees it. */
export async function findAccount(db: Queryable, id: string): Promise<Account | null> {
  return db.maybeOne(sql.type(Account)`
    SELECT id, email, email IS NULL AS email_needed,
      (SELECT change.email FROM email_change change WHERE change.account_id = account.id
        AND change.expires_at > now() ORDER BY change.id DESC LIMIT 1) AS pending_email,
      first_name, last_name, locale, verified_at IS NOT NULL AS verified, plan, created_at
    FROM account WHERE id = ${id}`);
}

/** Returns the fields that the projection of an account's tuples depends on. */
export const findAccountState = (db: Queryable, id: string) =>
  db.maybeOne(sql.type(StateRow)`SELECT id, status FROM account WHERE id = ${id}`);

export async function findStateByEmail(db: Queryable, email: string) {
  return db.maybeOne(sql.type(StateRow)`
    SELECT id, status FROM account WHERE email = ${email}`);
}

export async function setStatus(
  db: Queryable,
  { id, status }: z.infer<typeof StateRow>,
): Promise<void> {
  await db.query(sql.typeAlias('void')`UPDATE account SET status = ${status} WHERE id = ${id}`);
}

const PlanRow = Account.pick({ plan: true });

/** Sets an account's plan and returns the previous one; null if the account is deleted. */
export function setPlan(
  transaction: Queryable,
  { id, plan }: Pick<Account, 'id' | 'plan'>,
): Promise<Account['plan'] | null> {
  return transaction.maybeOneFirst(sql.type(PlanRow)`
    WITH before AS (SELECT id, plan FROM account WHERE id = ${id} FOR UPDATE)
    UPDATE account SET plan = ${plan} FROM before WHERE account.id = before.id
    RETURNING before.plan`);
}

const LockedAccountRow = StateRow.extend({
  email: z.string().nullable(),
  password_hash: z.string().nullable(),
  sessions_ended: z.number(),
});
/** An account row that is locked until the transaction ends, so that its changes are serialized. */
export type LockedAccount = z.infer<typeof LockedAccountRow>;

const lockedColumns = sql.fragment`
  account.id, account.status, account.email, account.password_hash, account.sessions_ended`;

/**
 * Locks an account before its address changes or it is deleted. FOR UPDATE also blocks new rows
 * that reference it.
 */
export async function lockAccountForUpdate(
  db: Queryable,
  id: string,
): Promise<LockedAccount | null> {
  return db.maybeOne(sql.type(LockedAccountRow)`
    SELECT ${lockedColumns} FROM account WHERE id = ${id} FOR UPDATE`);
}

/** Locks an active account; null if there is none. */
export async function lockActiveAccount(db: Queryable, id: string): Promise<LockedAccount | null> {
  return db.maybeOne(sql.type(LockedAccountRow)`
    SELECT ${lockedColumns} FROM account WHERE id = ${id} AND status = 'active'
    FOR NO KEY UPDATE`);
}

/** Locks the account with this address, active or not. */
export async function lockAccountByEmail(
  db: Queryable,
  email: string,
): Promise<LockedAccount | null> {
  return db.maybeOne(sql.type(LockedAccountRow)`
    SELECT ${lockedColumns} FROM account WHERE email = ${email} FOR NO KEY UPDATE`);
}

/**
 * Locks the account of a live session; null if the session has ended. A concurrent end of the
 * session waits for this lock. The session's row is locked too: otherwise a session that ended
 * while this statement waited would still be read as live.
 */
export async function lockAccountBySession(
  db: Queryable,
  sessionId: string,
): Promise<LockedAccount | null> {
  return db.maybeOne(sql.type(LockedAccountRow)`
    SELECT ${lockedColumns}
    FROM account JOIN account_session ON account_session.account_id = account.id
    WHERE account_session.id = ${sessionId} AND account_session.revoked_at IS NULL
      AND account_session.expires_at > now() AND account.status = 'active'
    FOR NO KEY UPDATE OF account FOR SHARE OF account_session`);
}

/**
 * Creates the account of a verification link. Null if the link is no longer valid, or if the
 * address has an account by now, however it was created, or is reserved for one (the trigger
 * `account_claim_email`). The unique address decides every race, so this row is inserted before all
 * others.
 */
export async function insertVerifiedAccount(
  db: Queryable,
  account: { id: string; hash: Buffer; unusable: string },
): Promise<{ id: string } | null> {
  return db.maybeOne(sql.type(z.object({ id: z.string() }))`
    INSERT INTO account (id, email, first_name, last_name, locale, password_hash)
    SELECT ${account.id}, link.email, bound.first_name, bound.last_name,
      coalesce(bound.locale, latest.locale), coalesce(bound.password_hash, ${account.unusable})
    FROM registration_link link
    LEFT JOIN registration bound ON bound.id = link.registration_id
    JOIN LATERAL (
      SELECT locale FROM registration WHERE registration.email = link.email
      ORDER BY id DESC LIMIT 1) AS latest ON true
    WHERE link.token_hash = ${sql.binary(account.hash)} AND link.expires_at > now()
      AND link.account_id IS NULL
    ON CONFLICT (email) DO NOTHING RETURNING id`);
}

export type ThirdPartyAccount = Pick<
  Account,
  'id' | 'email' | 'first_name' | 'last_name' | 'locale'
>;

/**
 * Creates the account of a person authenticated by a third party. False if its address has an
 * account by now, or is reserved for one. The unique address decides every race, so this row is
 * inserted before all others.
 */
export const insertThirdPartyAccount = (db: Queryable, account: ThirdPartyAccount) =>
  insertAccount(db, account, null);

/**
 * Creates the account of a person that an organization vouches for, through single sign-on or SCIM;
 * the organization manages it. False as for `insertThirdPartyAccount`.
 */
export const insertManagedAccount = (
  db: Queryable,
  { organization_id, ...account }: ThirdPartyAccount & { organization_id: string },
) => insertAccount(db, account, organization_id);

async function insertAccount(
  db: Queryable,
  { id, email, first_name, last_name, locale }: ThirdPartyAccount,
  managed_by: string | null,
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    INSERT INTO account (id, email, first_name, last_name, locale, managed_by)
    VALUES (${id}, ${email}, ${first_name}, ${last_name}, ${locale}, ${managed_by})
    ON CONFLICT (email) DO NOTHING`);
  return rowCount === 1;
}

/**
 * Sets the address; false if it is reserved for another account. Throws if it is in use. A person
 * who sets it takes the account over from the organization that managed it.
 */
export async function setEmail(
  db: Queryable,
  { id, email, by }: { id: string; email: string; by: 'person' | 'organization' },
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE account SET email = ${email},
      managed_by = CASE WHEN ${by} = 'organization' THEN managed_by END
    WHERE id = ${id}`);
  return rowCount === 1;
}

/** Sets the given fields; false if the account is deleted or deactivated. */
export async function updateProfile(
  db: Queryable,
  id: string,
  change: ProfileChange,
): Promise<boolean> {
  const columns = [
    change.first_name !== undefined && sql.fragment`first_name = ${change.first_name}`,
    change.last_name !== undefined && sql.fragment`last_name = ${change.last_name}`,
    change.locale !== undefined && sql.fragment`locale = ${change.locale}`,
  ].filter((column) => column !== false);
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE account SET ${sql.join(columns, sql.fragment`, `)}
    WHERE id = ${id} AND status = 'active'`);
  return rowCount === 1;
}

/**
 * Replaces the password hash `from` (null: no password). Returns null if the account has another
 * hash by now. An account with a password belongs to its person: no organization manages it.
 */
export async function setPasswordHash(
  db: Queryable,
  change: { id: string; from: string | null; to: string },
) {
  return db.maybeOne(sql.type(OwnerRow)`
    UPDATE account SET password_hash = ${change.to}, managed_by = NULL
    WHERE id = ${change.id} AND password_hash IS NOT DISTINCT FROM ${change.from}
    RETURNING email, status`);
}

const OwnerRow = z.object({
  email: z.string().nullable(),
  status: z.enum(['active', 'deactivated']),
});

/**
 * Sets the password hash and returns the account's id; null if no active account with this address
 * may have its password reset.
 */
export async function resetPasswordHash(
  db: Queryable,
  { email, to }: { email: string; to: string },
): Promise<string | null> {
  return db.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    UPDATE account SET password_hash = ${to}, managed_by = NULL
    WHERE email = ${email} AND ${mayReset} RETURNING id`);
}

/** Deletes the account and all rows that reference it; its scope and its audit log stay. */
export async function deleteAccountRow(db: Queryable, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`DELETE FROM account WHERE id = ${id}`);
}

/**
 * Increments the counter that every sign-in to these accounts compares, so that earlier proofs can no
 * longer open a session.
 */
export async function invalidateProofs(db: Queryable, ids: readonly string[]) {
  await db.query(sql.typeAlias('void')`
    UPDATE account SET sessions_ended = sessions_ended + 1
    WHERE id = ANY(${sql.array([...ids], 'uuid')})`);
}

/**
 * Ends the keys and OAuth connections that each account has made since a time; they are revoked in
 * the background. Those made in a session need that session to be live, so end the sessions first.
 */
export async function endCredentials(db: Queryable, added: readonly AddedSince[]): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE account SET credentials_ended = credentials_ended
      + tstzmultirange(tstzrange(added.since, greatest(added.since, clock_timestamp()), '[]'))
    FROM ${addedSince(added)} WHERE account.id = added.account_id`);
}

/**
 * Returns whether an account other than `except` has the address, or had it until a change that can
 * still be undone.
 */
export async function hasAccount(
  db: Queryable,
  email: string,
  except: string | null = null,
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM account WHERE email = ${email} AND id IS DISTINCT FROM ${except}::uuid
    UNION ALL
    SELECT FROM email_reservation
    WHERE email = ${email} AND account_id IS DISTINCT FROM ${except}::uuid
      AND expires_at > now()`);
}

/** Returns whether the account can sign in: by password and address, a third party or a passkey. */
export async function hasSignInMethod(db: Queryable, id: string): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM account
    WHERE id = ${id} AND password_hash IS NOT NULL AND email IS NOT NULL
    UNION ALL SELECT FROM account_identity WHERE account_id = ${id}
    UNION ALL SELECT FROM account_passkey WHERE account_id = ${id}`);
}

/** Returns true only once for an account without an address, so that the person is asked once. */
export async function markEmailRequested(
  db: Queryable,
  { id, email_needed }: Pick<Account, 'id' | 'email_needed'>,
): Promise<boolean> {
  if (!email_needed) return false;
  const { rowCount } = await db.query(sql.typeAlias('void')`
    UPDATE account SET email_asked_at = now()
    WHERE id = ${id} AND email IS NULL AND email_asked_at IS NULL`);
  return rowCount === 1;
}
