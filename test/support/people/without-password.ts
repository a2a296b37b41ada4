import { randomUUID } from 'node:crypto';
import type { World } from '../worlds/world.ts';

/** Makes an account one that signs in only at a third party. */
export async function removePassword(
  { query }: Pick<World, 'query'>,
  account_id: string,
): Promise<void> {
  await query(
    `INSERT INTO account_identity (id, account_id, provider, issuer, subject)
     VALUES ($1, $2, 'google', 'https://accounts.google.com', $3)`,
    [randomUUID(), account_id, randomUUID()],
  );
  await query('UPDATE account SET password_hash = NULL WHERE id = $1', [account_id]);
}
