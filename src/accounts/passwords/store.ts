import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';
import { mayReset } from '../managed/store.ts';

const EmailRow = z.object({ email: z.string() });

/** Returns the account with this address, and whether its password may be reset. */
export async function findForReset(db: Queryable, email: string) {
  return db.maybeOne(sql.type(ResetRow)`
    SELECT id, first_name, last_name, locale,
      ${mayReset} AS may_reset
    FROM account WHERE email = ${email}`);
}

const ResetRow = z.object({
  id: z.string(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  locale: z.string(),
  may_reset: z.boolean(),
});

const ReauthenticationRow = z.object({
  email: z.string().nullable(),
  password_hash: z.string().nullable(),
  /** Whether the session signed in less than ten minutes ago. */
  is_fresh: z.boolean(),
});

export async function findReauthenticationState(
  db: Queryable,
  { account_id, session_id }: { account_id: string; session_id: string },
): Promise<z.infer<typeof ReauthenticationRow> | null> {
  return db.maybeOne(sql.type(ReauthenticationRow)`
    SELECT account.email, account.password_hash, EXISTS (
      SELECT FROM account_session
      WHERE account_session.id = ${session_id} AND account_session.account_id = account.id
        AND account_session.auth_time > now() - interval '10 minutes') AS is_fresh
    FROM account WHERE account.id = ${account_id}`);
}

/** Saves a reset link for one hour, replacing an earlier link of the address. */
export async function replaceResetLink(
  db: Queryable,
  link: { email: string; hash: Buffer },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    INSERT INTO password_reset (email, token_hash, expires_at)
    VALUES (${link.email}, ${sql.binary(link.hash)}, now() + interval '1 hour')
    ON CONFLICT (email) DO UPDATE
    SET token_hash = EXCLUDED.token_hash, expires_at = EXCLUDED.expires_at`);
}

/** Extends a link to one hour from now; false if it is no longer the address's current link. */
export async function extendResetLink(
  db: Queryable,
  link: { email: string; hash: Buffer },
): Promise<boolean> {
  const email = await db.maybeOneFirst(sql.type(EmailRow)`
    UPDATE password_reset SET expires_at = now() + interval '1 hour'
    WHERE email = ${link.email} AND token_hash = ${sql.binary(link.hash)} RETURNING email`);
  return email !== null;
}

/** Returns the address a valid link was sent to. */
export async function findResetEmail(db: Queryable, hash: Buffer) {
  return db.maybeOneFirst(sql.type(EmailRow)`
    SELECT email FROM password_reset
    WHERE token_hash = ${sql.binary(hash)} AND expires_at > now()`);
}

/** Consumes the link; of concurrent calls only one gets its address. */
export async function takeResetLink(db: Queryable, hash: Buffer) {
  return db.maybeOneFirst(sql.type(EmailRow)`
    DELETE FROM password_reset
    WHERE token_hash = ${sql.binary(hash)} AND expires_at > now() RETURNING email`);
}

/** Deletes the link of an address when its password or the address changes in another way. */
export async function dropResetLink(db: Queryable, email: string): Promise<void> {
  await db.query(sql.typeAlias('void')`DELETE FROM password_reset WHERE email = ${email}`);
}

export async function sweepResetLinks(db: Queryable): Promise<void> {
  await sweepOlder(db, { table: 'password_reset', column: 'expires_at', age: '1 day' });
}
