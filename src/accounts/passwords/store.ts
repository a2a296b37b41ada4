import { z } from 'zod';
import { sql } from '../../platform/database.ts';
import type { Connection } from '../../platform/database.ts';
import { sweepOlder } from '../../platform/sweep.ts';

const EmailRow = z.object({ email: z.string() });

/** For an hour from its sending; a link sent before is dead. */
export async function replaceResetLink(
  connection: Connection,
  link: { email: string; hash: Buffer },
): Promise<void> {
  await connection.query(sql.unsafe`
    INSERT INTO password_reset (email, token_hash, expires_at)
    VALUES (${link.email}, ${sql.binary(link.hash)}, now() + interval '1 hour')
    ON CONFLICT (email) DO UPDATE
    SET token_hash = EXCLUDED.token_hash, expires_at = EXCLUDED.expires_at`);
}

/** An hour from this sending too; false if the link is no longer the one of its address. */
export async function prolongResetLink(
  connection: Connection,
  link: { email: string; hash: Buffer },
): Promise<boolean> {
  const email = await connection.maybeOneFirst(sql.type(EmailRow)`
    UPDATE password_reset SET expires_at = now() + interval '1 hour'
    WHERE email = ${link.email} AND token_hash = ${sql.binary(link.hash)} RETURNING email`);
  return email !== null;
}

/** The address a live link was sent to. */
export async function findResetEmail(connection: Connection, hash: Buffer) {
  return connection.maybeOneFirst(sql.type(EmailRow)`
    SELECT email FROM password_reset
    WHERE token_hash = ${sql.binary(hash)} AND expires_at > now()`);
}

/** Uses the link up: of any number at once, one gets its address. */
export async function takeResetLink(connection: Connection, hash: Buffer) {
  return connection.maybeOneFirst(sql.type(EmailRow)`
    DELETE FROM password_reset
    WHERE token_hash = ${sql.binary(hash)} AND expires_at > now() RETURNING email`);
}

/** When the password or the address changes in another way. */
export async function dropResetLink(connection: Connection, email: string): Promise<void> {
  await connection.query(sql.unsafe`DELETE FROM password_reset WHERE email = ${email}`);
}

export async function sweepResetLinks(connection: Connection): Promise<void> {
  await sweepOlder(connection, { table: 'password_reset', column: 'expires_at', age: '1 day' });
}
