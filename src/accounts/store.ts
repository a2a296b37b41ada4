import { z } from 'zod';
import { sql } from '../platform/database.ts';
import type { Connection } from '../platform/database.ts';
import type { ProfileChange } from './profile/profile-rules.ts';
import { Account } from './schema.ts';

const Found = z.object({ found: z.boolean() });
const StateRow = z.object({ id: z.string(), status: z.enum(['active', 'deactivated']) });

const accountColumns = sql.fragment`
  account.id, account.email, account.first_name, account.last_name, account.locale,
  account.verified_at IS NOT NULL AS verified, account.plan, account.created_at`;

export async function findAccount(connection: Connection, id: string): Promise<Account | null> {
  return connection.maybeOne(sql.type(Account)`
    SELECT ${accountColumns} FROM account WHERE id = ${id}`);
}

const LockedRow = z.object({
  id: z.string(),
  email: z.string().nullable(),
  status: z.enum(['active', 'deactivated']),
  password_hash: z.string().nullable(),
});
export type LockedAccount = z.infer<typeof LockedRow>;

/** The account as it stays until the commit; sign-ins wait. */
export async function lockAccount(
  connection: Connection,
  id: string,
): Promise<LockedAccount | null> {
  return connection.maybeOne(sql.type(LockedRow)`
    SELECT id, email, status, password_hash FROM account WHERE id = ${id} FOR UPDATE`);
}

/** With all that refers to it; its scope and its history stay. */
export async function deleteAccount(connection: Connection, id: string): Promise<void> {
  await connection.query(sql.unsafe`DELETE FROM account WHERE id = ${id}`);
}

/** False if the address is kept for another account; one in use violates its constraint. */
export async function setEmail(
  connection: Connection,
  account: { id: string; email: string },
): Promise<boolean> {
  const { rowCount } = await connection.query(sql.unsafe`
    UPDATE account SET email = ${account.email} WHERE id = ${account.id}`);
  return rowCount === 1;
}

/** Sets the fields that are given; null: the account is gone or deactivated. */
export async function updateProfile(
  connection: Connection,
  id: string,
  change: ProfileChange,
): Promise<Account | null> {
  const columns = [
    change.first_name !== undefined && sql.fragment`first_name = ${change.first_name}`,
    change.last_name !== undefined && sql.fragment`last_name = ${change.last_name}`,
    change.locale !== undefined && sql.fragment`locale = ${change.locale}`,
  ].filter((column) => column !== false);
  return connection.maybeOne(sql.type(Account)`
    UPDATE account SET ${sql.join(columns, sql.fragment`, `)}
    WHERE id = ${id} AND status = 'active' RETURNING ${accountColumns}`);
}

/** What the projection of an account's tuples looks at. */
export async function findAccountState(connection: Connection, id: string) {
  return connection.maybeOne(sql.type(StateRow)`
    SELECT id, status FROM account WHERE id = ${id}`);
}

const HeldRow = z.object({
  email: z.string().nullable(),
  password_hash: z.string().nullable(),
  sessions_ended: z.number(),
});

/** Holds an active account until the transaction ends: what changes it comes one after another. */
export async function holdAccount(connection: Connection, id: string) {
  return connection.maybeOne(sql.type(HeldRow)`
    SELECT email, password_hash, sessions_ended FROM account
    WHERE id = ${id} AND status = 'active'
    FOR NO KEY UPDATE`);
}

/**
 * The same for a session that must still live: whoever ends it waits, or was first. Its row is
 * locked too, or a session that ended while this waited would be seen as it was before.
 */
export async function holdAccountOf(
  connection: Connection,
  { account_id, session_id }: { account_id: string; session_id: string },
) {
  return connection.maybeOne(sql.type(HeldRow)`
    SELECT account.email, account.password_hash, account.sessions_ended
    FROM account JOIN account_session ON account_session.account_id = account.id
    WHERE account.id = ${account_id} AND account.status = 'active'
      AND account_session.id = ${session_id} AND account_session.revoked_at IS NULL
    FOR NO KEY UPDATE OF account FOR SHARE OF account_session`);
}

export async function findStateByEmail(connection: Connection, email: string) {
  return connection.maybeOne(sql.type(StateRow)`
    SELECT id, status FROM account WHERE email = ${email}`);
}

export async function setStatus(
  connection: Connection,
  { id, status }: { id: string; status: 'active' | 'deactivated' },
): Promise<void> {
  await connection.query(sql.unsafe`UPDATE account SET status = ${status} WHERE id = ${id}`);
}

/** Whoever signs in compares the number: what was proved before opens nothing. */
export async function endEntries(connection: Connection, id: string): Promise<void> {
  await connection.query(sql.unsafe`
    UPDATE account SET sessions_ended = sessions_ended + 1 WHERE id = ${id}`);
}

const SignInRow = z.object({
  id: z.string().nullable(),
  status: z.enum(['active', 'deactivated']).nullable(),
  password_hash: z.string().nullable(),
  sessions_ended: z.number().nullable(),
  registered_hash: z.string().nullable(),
});
export type SignInRow = z.infer<typeof SignInRow>;

/**
 * What a password is compared with: the account's hash, then that of the latest registration. One
 * row and one statement for every address, known or not.
 */
export async function findForSignIn(connection: Connection, email: string): Promise<SignInRow> {
  return connection.one(sql.type(SignInRow)`
    SELECT account.id, account.status, account.password_hash, account.sessions_ended,
      waiting.password_hash AS registered_hash
    FROM (SELECT ${email}::text AS email) AS asked
    LEFT JOIN account ON account.email = asked.email
    LEFT JOIN LATERAL (
      SELECT password_hash FROM registration WHERE registration.email = asked.email
      ORDER BY id DESC LIMIT 1) AS waiting ON true`);
}

export async function setPasswordHash(
  connection: Connection,
  account: { id: string; from: string; to: string },
): Promise<void> {
  await connection.query(sql.unsafe`
    UPDATE account SET password_hash = ${account.to}
    WHERE id = ${account.id} AND password_hash = ${account.from}`);
}

/** The account with this address and what a reset of its password looks at. */
export async function findForReset(connection: Connection, email: string) {
  return connection.maybeOne(sql.type(ResetRow)`
    SELECT id, first_name, last_name, locale,
      status = 'active' AND password_hash IS NOT NULL AS may_reset
    FROM account WHERE email = ${email}`);
}

const ResetRow = z.object({
  id: z.string(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  locale: z.string(),
  may_reset: z.boolean(),
});

/** The account whose password it was; null if nobody signs in by one with this address. */
export async function resetPasswordHash(
  connection: Connection,
  { email, to }: { email: string; to: string },
): Promise<string | null> {
  return connection.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    UPDATE account SET password_hash = ${to}
    WHERE email = ${email} AND status = 'active' AND password_hash IS NOT NULL RETURNING id`);
}

/** Null if it is no longer what presence was proved with; a first password has no `from`. */
export async function changePasswordHash(
  connection: Connection,
  change: { id: string; from: string | null; to: string },
): Promise<{ email: string | null } | null> {
  return connection.maybeOne(sql.type(z.object({ email: z.string().nullable() }))`
    UPDATE account SET password_hash = ${change.to}
    WHERE id = ${change.id} AND status = 'active'
      AND password_hash IS NOT DISTINCT FROM ${change.from} RETURNING email`);
}

const PresenceRow = z.object({
  email: z.string().nullable(),
  password_hash: z.string().nullable(),
  /** The session signed in less than ten minutes ago. */
  is_fresh: z.boolean(),
});

export async function findPresence(
  connection: Connection,
  { account_id, session_id }: { account_id: string; session_id: string },
): Promise<z.infer<typeof PresenceRow> | null> {
  return connection.maybeOne(sql.type(PresenceRow)`
    SELECT account.email, account.password_hash, EXISTS (
      SELECT FROM account_session
      WHERE account_session.id = ${session_id} AND account_session.account_id = account.id
        AND account_session.auth_time > now() - interval '10 minutes') AS is_fresh
    FROM account WHERE account.id = ${account_id}`);
}

const LocaleRow = z.object({ locale: z.string() });

export async function findLocale(connection: Connection, id: string): Promise<string | null> {
  return connection.maybeOneFirst(sql.type(LocaleRow)`
    SELECT locale FROM account WHERE id = ${id}`);
}

/** The language of an account with this address, or null if there is none. */
export async function findLocaleByEmail(
  connection: Connection,
  email: string,
): Promise<string | null> {
  return connection.maybeOneFirst(sql.type(LocaleRow)`
    SELECT locale FROM account WHERE email = ${email} AND status = 'active'`);
}

/** Whether an account has the address, or had it until a change that can still be undone. */
export async function hasAccount(
  connection: Connection,
  email: string,
  except: string | null = null,
): Promise<boolean> {
  const { found } = await connection.one(sql.type(Found)`
    SELECT EXISTS (
      SELECT FROM account WHERE email = ${email} AND id IS DISTINCT FROM ${except}::uuid
    ) OR EXISTS (
      SELECT FROM email_reservation
      WHERE email = ${email} AND account_id IS DISTINCT FROM ${except}::uuid
        AND expires_at > now()) AS found`);
  return found;
}

/**
 * Makes the account a link stands for. Null if the address has an account by now, whoever else
 * made it, or is kept for one (the trigger `account_claim_email`); the unique address settles
 * every race, so it comes before all other rows.
 */
export async function insertVerified(
  connection: Connection,
  account: { id: string; hash: Buffer; unusable: string },
): Promise<{ id: string } | null> {
  return connection.maybeOne(sql.type(z.object({ id: z.string() }))`
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

export type ProvenAccount = Pick<Account, 'id' | 'email' | 'first_name' | 'last_name' | 'locale'>;

/**
 * An account of somebody whom a third party vouched for. False if its address has an account by
 * now, or is kept for one; that settles every race, so it comes before all other rows.
 */
export async function insertProven(
  connection: Connection,
  account: ProvenAccount,
): Promise<boolean> {
  const { id, email, first_name, last_name, locale } = account;
  const row = await connection.maybeOne(sql.type(z.object({ id: z.string() }))`
    INSERT INTO account (id, email, first_name, last_name, locale)
    VALUES (${id}, ${email}, ${first_name}, ${last_name}, ${locale})
    ON CONFLICT (email) DO NOTHING RETURNING id`);
  return row !== null;
}

/** The account of an address, active or not; nobody changes it meanwhile. */
export async function lockByEmail(connection: Connection, email: string) {
  return connection.maybeOne(sql.type(StateRow.extend({ sessions_ended: z.number() }))`
    SELECT id, status, sessions_ended FROM account WHERE email = ${email} FOR NO KEY UPDATE`);
}

/** Whether anything lets somebody in: a password beside an address, a third party, a passkey. */
export async function hasWayIn(connection: Connection, id: string): Promise<boolean> {
  const { found } = await connection.one(sql.type(Found)`
    SELECT EXISTS (SELECT FROM account
        WHERE id = ${id} AND password_hash IS NOT NULL AND email IS NOT NULL)
      OR EXISTS (SELECT FROM account_identity WHERE account_id = ${id})
      OR EXISTS (SELECT FROM account_passkey WHERE account_id = ${id}) AS found`);
  return found;
}
