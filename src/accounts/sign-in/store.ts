import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';

const SignInRow = z.object({
  id: z.string().nullable(),
  status: z.enum(['active', 'deactivated']).nullable(),
  password_hash: z.string().nullable(),
  sessions_ended: z.number().nullable(),
  registered_hash: z.string().nullable(),
});
export type SignInRow = z.infer<typeof SignInRow>;

/**
 * Returns the hashes a password is compared with: the account's, then the latest registration's.
 * Runs one statement and returns one row for every address, known or not.
 */
export async function findForSignIn(db: Queryable, email: string): Promise<SignInRow> {
  return db.one(sql.type(SignInRow)`
    SELECT account.id, account.status, account.password_hash, account.sessions_ended,
      waiting.password_hash AS registered_hash
    FROM (SELECT ${email}::text AS email) AS requested
    LEFT JOIN account ON account.email = requested.email
    LEFT JOIN LATERAL (
      SELECT password_hash FROM registration WHERE registration.email = requested.email
      ORDER BY id DESC LIMIT 1) AS waiting ON true`);
}
