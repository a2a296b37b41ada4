import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';
import type { Applicant } from './registration-rules.ts';

const IdRow = z.object({ id: z.string() });
const RegistrationRow = z.object({ id: z.string(), locale: z.string() });

export async function insertRegistration(
  db: Queryable,
  registration: Applicant & { id: string; password_hash: string },
): Promise<void> {
  const { id, email, first_name, last_name, locale, password_hash } = registration;
  await db.query(sql.typeAlias('void')`
    INSERT INTO registration (id, email, first_name, last_name, locale, password_hash)
    VALUES (${id}, ${email}, ${first_name}, ${last_name}, ${locale}, ${password_hash})`);
}

export async function findRegistration(db: Queryable, id: string) {
  return db.maybeOne(sql.type(RegistrationRow)`
    SELECT id, locale FROM registration WHERE id = ${id}`);
}

const LatestRow = RegistrationRow.extend({
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  /** Whether every registration of the address has this password hash. */
  is_only_password: z.boolean(),
});

/** Returns the latest registration of an address. */
export async function findLatestRegistration(db: Queryable, email: string) {
  return db.maybeOne(sql.type(LatestRow)`
    SELECT id, locale, first_name, last_name, NOT EXISTS (
      SELECT FROM registration other
      WHERE other.email = latest.email AND other.password_hash <> latest.password_hash)
      AS is_only_password
    FROM registration latest WHERE email = ${email} ORDER BY id DESC LIMIT 1`);
}

/**
 * Locks the registrations of an address, so that verifying and changing them is serialized. Lock
 * them before the address itself, which `account_claim_email` locks: a fixed order prevents
 * deadlocks.
 */
export async function lockRegistrations(db: Queryable, email: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    SELECT FROM registration WHERE email = ${email} ORDER BY id FOR UPDATE`);
}

/**
 * Sets the password that the mailbox's owner chose for every registration of the address.
 * Links that only proved the address now activate the latest registration. Returns false if there
 * is no registration.
 */
export async function resetRegistrations(
  db: Queryable,
  reset: { email: string; password_hash: string },
): Promise<boolean> {
  const latest = await db.maybeOneFirst(sql.type(IdRow)`
    WITH changed AS (
      UPDATE registration SET password_hash = ${reset.password_hash}
      WHERE email = ${reset.email} RETURNING id)
    SELECT id FROM changed ORDER BY id DESC LIMIT 1`);
  if (latest === null) return false;
  await db.query(sql.typeAlias('void')`
    UPDATE registration_link SET registration_id = ${latest}
    WHERE email = ${reset.email} AND account_id IS NULL AND registration_id IS NULL`);
  return true;
}

/**
 * Inserts a link that is valid for a day. A retried e-mail has the same link and extends it again.
 */
export async function insertLink(
  db: Queryable,
  link: { hash: Buffer; email: string; registration_id: string | null },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    INSERT INTO registration_link (token_hash, email, registration_id, expires_at)
    VALUES (${sql.binary(link.hash)}, ${link.email}, ${link.registration_id},
      now() + interval '24 hours')
    ON CONFLICT (token_hash) DO UPDATE SET expires_at = EXCLUDED.expires_at`);
}

const LinkRow = z.object({
  email: z.string(),
  registration_id: z.string().nullable(),
  account_id: z.string().nullable(),
});

/** Returns a link that has not expired, used or not. */
export async function findLink(db: Queryable, hash: Buffer) {
  return db.maybeOne(sql.type(LinkRow)`
    SELECT email, registration_id, account_id FROM registration_link
    WHERE token_hash = ${sql.binary(hash)} AND expires_at > now()`);
}

/**
 * Marks the links of this registration, and those that only prove the address, as used by the
 * account. Deletes all registrations of the address, with the other registrations' links.
 */
export async function completeRegistrations(
  db: Queryable,
  registration: { account_id: string; email: string; registration_id: string | null },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE registration_link SET account_id = ${registration.account_id}, registration_id = NULL
    WHERE email = ${registration.email} AND account_id IS NULL
      AND (registration_id IS NULL OR registration_id = ${registration.registration_id})`);
  await dropRegistrations(db, registration.email);
}

/** Deletes the registrations of an address, with their links. */
export async function dropRegistrations(db: Queryable, email: string): Promise<void> {
  await db.query(sql.typeAlias('void')`DELETE FROM registration WHERE email = ${email}`);
}

/** Deletes links and registrations that can no longer be used. */
export async function sweepRegistrations(db: Queryable): Promise<void> {
  await sweepOlder(db, { table: 'registration_link', column: 'expires_at', age: '1 day' });
  await sweepOlder(db, { table: 'registration', column: 'created_at', age: '90 days' });
}
