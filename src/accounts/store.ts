import { z } from 'zod';
import { sql } from '../platform/database.ts';
import type { Connection } from '../platform/database.ts';
import { sweepInBatches } from '../platform/sweep.ts';
import type { Proof } from './captcha.ts';
import type { Applicant } from './registration-rules.ts';
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

/** What the projection of an account's tuples looks at. */
export async function findAccountState(connection: Connection, id: string) {
  return connection.maybeOne(sql.type(StateRow)`
    SELECT id, status FROM account WHERE id = ${id}`);
}

const SignInRow = z.object({
  id: z.string().nullable(),
  status: z.enum(['active', 'deactivated']).nullable(),
  password_hash: z.string().nullable(),
});
type SignInRow = z.infer<typeof SignInRow>;

/**
 * What a password is compared with: an account's, or else that of the latest registration, which
 * has no id. One row and one statement for every address, known or not.
 */
export async function findForSignIn(connection: Connection, email: string): Promise<SignInRow> {
  return connection.one(sql.type(SignInRow)`
    SELECT account.id, account.status,
      CASE WHEN account.id IS NULL THEN waiting.password_hash ELSE account.password_hash END
        AS password_hash
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

export async function isSpent(connection: Connection, kind: string, hash: Buffer) {
  const { found } = await connection.one(sql.type(Found)`
    SELECT EXISTS (SELECT FROM used_once WHERE kind = ${kind} AND hash = ${sql.binary(hash)})
      AS found`);
  return found;
}

/** False if it was spent before; of any number at once, one spends it. */
export async function spend(connection: Connection, kind: string, proof: Proof): Promise<boolean> {
  const row = await connection.maybeOne(sql.type(Found)`
    INSERT INTO used_once (kind, hash, expires_at)
    VALUES (${kind}, ${sql.binary(proof.hash)}, ${proof.expires_at}::timestamptz)
    ON CONFLICT DO NOTHING RETURNING true AS found`);
  return row !== null;
}

export async function insertRegistration(
  connection: Connection,
  registration: Applicant & { id: string; password_hash: string },
): Promise<void> {
  const { id, email, first_name, last_name, locale, password_hash } = registration;
  await connection.query(sql.unsafe`
    INSERT INTO registration (id, email, first_name, last_name, locale, password_hash)
    VALUES (${id}, ${email}, ${first_name}, ${last_name}, ${locale}, ${password_hash})`);
}

const LocaleRow = z.object({ locale: z.string() });
const WaitingRow = z.object({ id: z.string(), locale: z.string() });

/** The language of an account with this address, or null if there is none. */
export async function findLocaleByEmail(
  connection: Connection,
  email: string,
): Promise<string | null> {
  return connection.maybeOneFirst(sql.type(LocaleRow)`
    SELECT locale FROM account WHERE email = ${email} AND status = 'active'`);
}

export async function hasAccount(connection: Connection, email: string): Promise<boolean> {
  const { found } = await connection.one(sql.type(Found)`
    SELECT EXISTS (SELECT FROM account WHERE email = ${email}) AS found`);
  return found;
}

export async function findRegistration(connection: Connection, id: string) {
  return connection.maybeOne(sql.type(WaitingRow)`
    SELECT id, locale FROM registration WHERE id = ${id}`);
}

/** The latest two registrations of an address; the second says only that there are several. */
export async function findWaiting(connection: Connection, email: string) {
  return connection.any(sql.type(WaitingRow)`
    SELECT id, locale FROM registration WHERE email = ${email} ORDER BY id DESC LIMIT 2`);
}

export async function insertLink(
  connection: Connection,
  link: { hash: Buffer; email: string; registration_id: string | null },
): Promise<void> {
  await connection.query(sql.unsafe`
    INSERT INTO registration_link (token_hash, email, registration_id, expires_at)
    VALUES (${sql.binary(link.hash)}, ${link.email}, ${link.registration_id},
      now() + interval '24 hours')`);
}

const LinkRow = z.object({
  email: z.string(),
  registration_id: z.string().nullable(),
  account_id: z.string().nullable(),
});

/** A link that has not run out, used or not. */
export async function findLink(connection: Connection, hash: Buffer) {
  return connection.maybeOne(sql.type(LinkRow)`
    SELECT email, registration_id, account_id FROM registration_link
    WHERE token_hash = ${sql.binary(hash)} AND expires_at > now()`);
}

/**
 * Makes the account a link stands for. Null if the address has an account by now, whoever else
 * made it; the unique address settles every race, so it comes before all other rows.
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

/** Uses up every link that stood for the same, and discards the registrations that lost. */
export async function settleRegistrations(
  connection: Connection,
  settled: { account_id: string; email: string; registration_id: string | null },
): Promise<void> {
  await connection.query(sql.unsafe`
    UPDATE registration_link SET account_id = ${settled.account_id}, registration_id = NULL
    WHERE email = ${settled.email} AND account_id IS NULL
      AND (registration_id IS NULL OR registration_id = ${settled.registration_id})`);
  await dropRegistrations(connection, settled.email);
}

/** With their links. */
export async function dropRegistrations(connection: Connection, email: string): Promise<void> {
  await connection.query(sql.unsafe`DELETE FROM registration WHERE email = ${email}`);
}

/** What nobody can use any more, with the links of registrations. */
export async function sweepAccounts(connection: Connection): Promise<void> {
  await sweepInBatches((limit) =>
    connection.query(sql.unsafe`
      DELETE FROM used_once WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM used_once WHERE expires_at < now() - interval '1 hour'
        ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`),
  );
  await sweepInBatches((limit) =>
    connection.query(sql.unsafe`
      DELETE FROM registration_link WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM registration_link WHERE expires_at < now() - interval '1 day'
        ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`),
  );
  await sweepInBatches((limit) =>
    connection.query(sql.unsafe`
      DELETE FROM registration WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM registration WHERE created_at < now() - interval '90 days'
        ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`),
  );
}
