import { z } from 'zod';
import { sql } from '../../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';

const SecretRow = z.object({
  id: z.string(),
  client_id: z.string(),
  prefix: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});
export type SecretRow = z.infer<typeof SecretRow>;

const HashRow = z.object({ id: z.string(), secret_hash: z.instanceof(Buffer) });

/** Returns the secrets of these clients, oldest first, without their hashes. */
export function listSecrets(db: Queryable, clientIds: readonly string[]) {
  return db.any(sql.type(SecretRow)`
    SELECT id, client_id, secret_prefix AS prefix, created_at, last_used_at
    FROM oauth_client_secret WHERE client_id = ANY(${sql.array([...clientIds], 'uuid')})
    ORDER BY id`);
}

/** Returns the hashes of a client's secrets. */
export function listHashes(db: Queryable, client_id: string) {
  return db.any(sql.type(HashRow)`
    SELECT id, secret_hash FROM oauth_client_secret WHERE client_id = ${client_id}`);
}

export function insertSecret(
  transaction: Transaction,
  secret: { id: string; client_id: string; hash: Buffer; prefix: string },
): Promise<SecretRow> {
  return transaction.one(sql.type(SecretRow)`
    INSERT INTO oauth_client_secret (id, client_id, secret_hash, secret_prefix)
    VALUES (${secret.id}, ${secret.client_id}, ${sql.binary(secret.hash)}, ${secret.prefix})
    RETURNING id, client_id, secret_prefix AS prefix, created_at, last_used_at`);
}

/** Deletes a secret; returns null if the client has no such secret. */
export function deleteSecret(
  transaction: Transaction,
  { id, client_id }: { id: string; client_id: string },
): Promise<SecretRow | null> {
  return transaction.maybeOne(sql.type(SecretRow)`
    DELETE FROM oauth_client_secret WHERE id = ${id} AND client_id = ${client_id}
    RETURNING id, client_id, secret_prefix AS prefix, created_at, last_used_at`);
}

/** Sets `last_used_at`, at most once a minute. */
export async function touchSecret(db: Queryable, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE oauth_client_secret SET last_used_at = now()
    WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at <= now() - interval '1 minute')`);
}
