import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';

export async function insertChange(
  db: Queryable,
  change: { id: string; account_id: string; session_id: string; email: string },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    INSERT INTO email_change (id, account_id, session_id, email)
    VALUES (${change.id}, ${change.account_id}, ${change.session_id}, ${change.email})`);
}

const RequestRow = z.object({
  account_id: z.string(),
  email: z.string(),
  /** The account's current address. */
  current: z.string().nullable(),
  locale: z.string(),
});

/**
 * Returns a requested change of an active account. The lock delays the account's deletion until
 * this transaction ends.
 */
export async function findRequestedChange(db: Queryable, id: string) {
  return db.maybeOne(sql.type(RequestRow)`
    SELECT change.account_id, change.email, account.email AS current, account.locale
    FROM email_change change JOIN account ON account.id = change.account_id
    WHERE change.id = ${id} AND account.status = 'active'
    FOR KEY SHARE OF account`);
}

/**
 * Saves the confirmation link of a change; it is valid for a day after it is sent. Without a hash, the
 * change is pending as long, and nothing confirms it.
 */
export async function saveConfirmLink(
  db: Queryable,
  link: { id: string; hash: Buffer | null },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE email_change
    SET token_hash = ${link.hash && sql.binary(link.hash)}, expires_at = now() + interval '24 hours'
    WHERE id = ${link.id}`);
}

const OwnerRow = z.object({ account_id: z.string() });

/** Returns the account of a confirmation or undo link; does not consume the link. */
export async function findLinkOwner(db: Queryable, hash: Buffer): Promise<string | null> {
  return db.maybeOneFirst(sql.type(OwnerRow)`
    SELECT account_id FROM email_change
    WHERE token_hash = ${sql.binary(hash)} AND expires_at > now()
    UNION ALL
    SELECT account_id FROM email_reservation
    WHERE token_hash = ${sql.binary(hash)} AND expires_at > now()`);
}

const ConfirmedRow = z.object({ session_id: z.string(), email: z.string() });

/** Consumes a confirmation link; of concurrent calls only one gets its change. */
export async function useConfirmLink(db: Queryable, hash: Buffer) {
  return db.maybeOne(sql.type(ConfirmedRow)`
    DELETE FROM email_change WHERE token_hash = ${sql.binary(hash)} AND expires_at > now()
    RETURNING session_id, email`);
}

/** Deletes the account's unconfirmed changes; links that were already sent stop working. */
export async function dropChanges(db: Queryable, accountId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`DELETE FROM email_change WHERE account_id = ${accountId}`);
}

/** Deletes the changes requested by a session that another session has ended. */
export async function dropChangesOf(
  db: Queryable,
  session: { id: string; account_id: string },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    DELETE FROM email_change
    WHERE account_id = ${session.account_id} AND session_id = ${session.id}`);
}

export async function dropChange(db: Queryable, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`DELETE FROM email_change WHERE id = ${id}`);
}

const PendingRow = z.object({ id: z.string(), email: z.string() });

/** Lists the changes an account requested; the addresses may belong to other accounts. */
export async function listChanges(db: Queryable, accountId: string) {
  return db.any(sql.type(PendingRow)`
    SELECT id, email FROM email_change WHERE account_id = ${accountId}`);
}

/** Reserves an address for the account that has just changed it. */
export async function reserveAddress(
  db: Queryable,
  reservation: { account_id: string; email: string; password_digest: Buffer | null },
): Promise<void> {
  const { account_id, email, password_digest: digest } = reservation;
  await db.query(sql.typeAlias('void')`
    INSERT INTO email_reservation (email, account_id, password_digest)
    VALUES (${email}, ${account_id}, ${digest && sql.binary(digest)})
    ON CONFLICT (email) DO UPDATE SET account_id = EXCLUDED.account_id, token_hash = NULL,
      password_digest = EXCLUDED.password_digest, given_up_at = EXCLUDED.given_up_at, expires_at = EXCLUDED.expires_at`);
}

const AddressRow = z.object({ email: z.string() });

/** Lists the former addresses that are reserved for an account. */
export async function listReservedAddresses(db: Queryable, accountId: string) {
  return db.anyFirst(sql.type(AddressRow)`
    SELECT email FROM email_reservation
    WHERE account_id = ${accountId} AND expires_at > now() ORDER BY given_up_at`);
}

const LocaleRow = z.object({ locale: z.string() });

/** Returns the language for the notice to a former address; null if it is no longer reserved. */
export async function findReservedLocale(
  db: Queryable,
  reservation: { account_id: string; email: string },
): Promise<string | null> {
  return db.maybeOneFirst(sql.type(LocaleRow)`
    SELECT account.locale
    FROM email_reservation kept JOIN account ON account.id = kept.account_id
    WHERE kept.email = ${reservation.email} AND kept.account_id = ${reservation.account_id}
      AND kept.expires_at > now()`);
}

/** Saves the undo link. It is valid for a day after it is sent, as is the reservation. */
export async function saveUndoLink(
  db: Queryable,
  link: { email: string; hash: Buffer },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE email_reservation
    SET token_hash = ${sql.binary(link.hash)}, expires_at = now() + interval '24 hours'
    WHERE email = ${link.email}`);
}

const UndoneRow = z.object({ email: z.string() });
const UsedRow = UndoneRow.extend({
  /** A minute before the change, to cover transactions that began earlier but waited for it. */
  since: z.string(),
  /** Digest of the password hash before the change; null if there was no password. */
  password_digest: z.instanceof(Buffer).nullable(),
});

/**
 * Consumes an undo link; returns the address to restore and the time from which to undo changes.
 */
export async function useUndoLink(db: Queryable, hash: Buffer) {
  return db.maybeOne(sql.type(UsedRow)`
    UPDATE email_reservation SET token_hash = NULL
    WHERE token_hash = ${sql.binary(hash)} AND expires_at > now()
    RETURNING email, given_up_at - interval '1 minute' AS since, password_digest`);
}

/**
 * Deletes the reservation of an address that the account has again, and the account's later
 * reservations, so that their undo links stop working. Returns false if the address was not
 * reserved for the account.
 */
export async function dropReservationsSince(
  db: Queryable,
  restored: { account_id: string; email: string },
): Promise<boolean> {
  const dropped = await db.any(sql.type(UndoneRow)`
    DELETE FROM email_reservation
    WHERE account_id = ${restored.account_id} AND given_up_at >= (
      SELECT given_up_at FROM email_reservation
      WHERE email = ${restored.email} AND account_id = ${restored.account_id})
    RETURNING email`);
  return dropped.length > 0;
}

/** Deletes expired links and reservations. */
export async function sweepEmailChanges(db: Queryable): Promise<void> {
  await sweepOlder(db, { table: 'email_change', column: 'expires_at', age: '1 day' });
  await sweepOlder(db, { table: 'email_reservation', column: 'expires_at', age: '1 day' });
}
