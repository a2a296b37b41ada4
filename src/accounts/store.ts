import { z } from 'zod';
import { sql } from '../platform/postgres/database.ts';
import type { Connection } from '../platform/postgres/database.ts';
import type { ProfileChange } from './profile/profile-rules.ts';
import type { Account } from './schema.ts';

const StateRow = z.object({ id: z.string(), status: z.enum(['active', 'deactivated']) });
const Found = z.object({ found: z.boolean() });

/** What the projection of an account's tuples looks at. */
export async function findAccountState(connection: Connection, id: string) {
  return connection.maybeOne(sql.type(StateRow)`
    SELECT id, status FROM account WHERE id = ${id}`);
}

export async function findStateByEmail(connection: Connection, email: string) {
  return connection.maybeOne(sql.type(StateRow)`
    SELECT id, status FROM account WHERE email = ${email}`);
}

export async function setStatus(
  connection: Connection,
  { id, status }: z.infer<typeof StateRow>,
): Promise<void> {
  await connection.query(
    sql.typeAlias('void')`UPDATE account SET status = ${status} WHERE id = ${id}`,
  );
}

const HeldRow = StateRow.extend({
  email: z.string().nullable(),
  password_hash: z.string().nullable(),
  sessions_ended: z.number(),
});
/** An account as it stays until the transaction ends: what changes it comes one after another. */
export type HeldAccount = z.infer<typeof HeldRow>;

const heldColumns = sql.fragment`
  account.id, account.status, account.email, account.password_hash, account.sessions_ended`;

/** Before its address or itself goes: nothing new refers to it meanwhile either. */
export async function lockAccount(connection: Connection, id: string): Promise<HeldAccount | null> {
  return connection.maybeOne(sql.type(HeldRow)`
    SELECT ${heldColumns} FROM account WHERE id = ${id} FOR UPDATE`);
}

/** An active one. */
export async function holdAccount(connection: Connection, id: string): Promise<HeldAccount | null> {
  return connection.maybeOne(sql.type(HeldRow)`
    SELECT ${heldColumns} FROM account WHERE id = ${id} AND status = 'active'
    FOR NO KEY UPDATE`);
}

/** That of an address, active or not. */
export async function holdByEmail(
  connection: Connection,
  email: string,
): Promise<HeldAccount | null> {
  return connection.maybeOne(sql.type(HeldRow)`
    SELECT ${heldColumns} FROM account WHERE email = ${email} FOR NO KEY UPDATE`);
}

/**
 * That of a session which must still live: whoever ends it waits, or was first. Its row is locked
 * too, or a session that ended while this waited would be seen as it was before.
 */
export async function holdBySession(
  connection: Connection,
  sessionId: string,
): Promise<HeldAccount | null> {
  return connection.maybeOne(sql.type(HeldRow)`
    SELECT ${heldColumns}
    FROM account JOIN account_session ON account_session.account_id = account.id
    WHERE account_session.id = ${sessionId} AND account_session.revoked_at IS NULL
      AND account_session.expires_at > now() AND account.status = 'active'
    FOR NO KEY UPDATE OF account FOR SHARE OF account_session`);
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

/** False if the address is kept for another account; one in use violates its constraint. */
export async function setEmail(
  connection: Connection,
  account: { id: string; email: string },
): Promise<boolean> {
  const { rowCount } = await connection.query(sql.typeAlias('void')`
    UPDATE account SET email = ${account.email} WHERE id = ${account.id}`);
  return rowCount === 1;
}

/** Sets the fields that are given; false: the account is gone or deactivated. */
export async function updateProfile(
  connection: Connection,
  id: string,
  change: ProfileChange,
): Promise<boolean> {
  const columns = [
    change.first_name !== undefined && sql.fragment`first_name = ${change.first_name}`,
    change.last_name !== undefined && sql.fragment`last_name = ${change.last_name}`,
    change.locale !== undefined && sql.fragment`locale = ${change.locale}`,
  ].filter((column) => column !== false);
  const { rowCount } = await connection.query(sql.typeAlias('void')`
    UPDATE account SET ${sql.join(columns, sql.fragment`, `)}
    WHERE id = ${id} AND status = 'active'`);
  return rowCount === 1;
}

/** Null if it is no longer what was looked at; a first password has no `from`. */
export async function setPasswordHash(
  connection: Connection,
  change: { id: string; from: string | null; to: string },
) {
  return connection.maybeOne(sql.type(OwnerRow)`
    UPDATE account SET password_hash = ${change.to}
    WHERE id = ${change.id} AND password_hash IS NOT DISTINCT FROM ${change.from}
    RETURNING email, status`);
}

const OwnerRow = z.object({
  email: z.string().nullable(),
  status: z.enum(['active', 'deactivated']),
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

/** With all that refers to it; its scope and its history stay. */
export async function deleteAccount(connection: Connection, id: string): Promise<void> {
  await connection.query(sql.typeAlias('void')`DELETE FROM account WHERE id = ${id}`);
}

/** Whoever signs in compares the number: what was proved before opens nothing. */
export async function endEntries(connection: Connection, id: string): Promise<void> {
  await connection.query(sql.typeAlias('void')`
    UPDATE account SET sessions_ended = sessions_ended + 1 WHERE id = ${id}`);
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

/** Whether anything lets somebody in: a password beside an address, a third party, a passkey. */
export async function hasWayIn(connection: Connection, id: string): Promise<boolean> {
  const { found } = await connection.one(sql.type(Found)`
    SELECT EXISTS (SELECT FROM account
        WHERE id = ${id} AND password_hash IS NOT NULL AND email IS NOT NULL)
      OR EXISTS (SELECT FROM account_identity WHERE account_id = ${id})
      OR EXISTS (SELECT FROM account_passkey WHERE account_id = ${id}) AS found`);
  return found;
}

/** Whether the person is to be asked for an address now: once, if the account has none. */
export async function askForEmail(
  connection: Connection,
  { id, email_needed }: Pick<Account, 'id' | 'email_needed'>,
): Promise<boolean> {
  if (!email_needed) return false;
  const { rowCount } = await connection.query(sql.typeAlias('void')`
    UPDATE account SET email_asked_at = now()
    WHERE id = ${id} AND email IS NULL AND email_asked_at IS NULL`);
  return rowCount === 1;
}
