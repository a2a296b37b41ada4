import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { EncryptedColumn } from '../../platform/postgres/reencrypt.ts';

export const signingKeys: EncryptedColumn<'id'> = {
  table: 'oauth_signing_key',
  column: 'key',
  key: [['id', 'uuid']],
  bound: [],
  ownerOf: ({ id }) => id,
  label: 'oauth-signing-key',
};

const SigningKeyRow = z.object({
  id: z.string(),
  key: z.instanceof(Buffer),
  /** Whether it may sign: its start has passed, and it has not been retired. */
  signs: z.boolean(),
});
export type SigningKeyRow = z.infer<typeof SigningKeyRow>;

/** Reads all keys whose tokens may still be valid, the newest first. */
export async function readSigningKeys(db: Queryable): Promise<readonly SigningKeyRow[]> {
  return db.any(sql.type(SigningKeyRow)`
    SELECT id, key, signs_from <= now() AND (retired_at IS NULL OR retired_at > now()) AS signs
    FROM oauth_signing_key
    ORDER BY signs_from DESC, id DESC`);
}

/** Waits until no other transaction is changing the keys. */
export async function lockSigningKeys(transaction: Transaction): Promise<void> {
  await transaction.query(sql.typeAlias('void')`LOCK TABLE oauth_signing_key IN EXCLUSIVE MODE`);
}

/** Adds a key that signs after `delay`, a PostgreSQL interval. */
export async function addSigningKey(
  db: Queryable,
  { id, key, delay }: { id: string; key: Buffer; delay: string },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    INSERT INTO oauth_signing_key (id, key, signs_from)
    VALUES (${id}, ${sql.binary(key)}, now() + ${delay}::interval)`);
}

/** Retires the other keys after `delay`; a key that had an earlier end keeps it. */
export async function retireOthers(
  db: Queryable,
  { id, delay }: { id: string; delay: string },
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    UPDATE oauth_signing_key SET retired_at = now() + ${delay}::interval
    WHERE id <> ${id} AND (retired_at IS NULL OR retired_at > now() + ${delay}::interval)`);
}

/** Deletes keys that were retired longer ago than a token lives, a PostgreSQL interval. */
export async function deleteRetired(db: Queryable, lifetime: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    DELETE FROM oauth_signing_key WHERE retired_at < now() - ${lifetime}::interval`);
}

/** Deletes all other keys, so that no token they signed is accepted. */
export async function deleteOthers(db: Queryable, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`DELETE FROM oauth_signing_key WHERE id <> ${id}`);
}
