import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { EncryptedColumn } from '../../platform/postgres/reencrypt.ts';

/** Secrets are bound to the origin they may be sent to. */
export const toolSecrets: EncryptedColumn<'space_id' | 'item_id' | 'origin' | 'name'> = {
  table: 'tool_secret',
  column: 'sealed',
  key: [
    ['item_id', 'uuid'],
    ['name', 'text'],
  ],
  bound: ['space_id', 'origin'],
  ownerOf: ({ space_id, item_id, origin, name }) => `${space_id}/${item_id}/${origin}/${name}`,
  label: 'tool-secret',
};

const SecretRow = z.object({ name: z.string(), sealed: z.instanceof(Buffer) });

interface ToolRef {
  space_id: string;
  id: string;
}

/** Returns the secrets bound to this origin. */
export function readSecrets(db: Queryable, ref: ToolRef, origin: string) {
  return db.any(sql.type(SecretRow)`
    SELECT name, sealed FROM tool_secret
    WHERE item_id = ${ref.id} AND space_id = ${ref.space_id} AND origin = ${origin}`);
}

/** Returns all secrets of a tool, of any origin. */
export function readAllSecrets(db: Queryable, ref: ToolRef) {
  return db.any(sql.type(SecretRow.extend({ origin: z.string() }))`
    SELECT name, origin, sealed FROM tool_secret
    WHERE item_id = ${ref.id} AND space_id = ${ref.space_id}`);
}

/** Returns the names of the secrets bound to this origin. */
export function readSecretNames(db: Queryable, ref: ToolRef, origin: string) {
  return db.anyFirst(sql.type(SecretRow.pick({ name: true }))`
    SELECT name FROM tool_secret
    WHERE item_id = ${ref.id} AND space_id = ${ref.space_id} AND origin = ${origin}`);
}

export async function writeSecret(
  transaction: Transaction,
  ref: ToolRef,
  secret: { name: string; origin: string; sealed: Buffer },
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO tool_secret (item_id, name, space_id, origin, sealed)
    VALUES (${ref.id}, ${secret.name}, ${ref.space_id}, ${secret.origin},
      ${sql.binary(secret.sealed)})
    ON CONFLICT (item_id, name) DO UPDATE
    SET space_id = excluded.space_id, origin = excluded.origin, sealed = excluded.sealed`);
}

/** Deletes all secrets except the named ones. */
export async function dropOtherSecrets(
  transaction: Transaction,
  ref: ToolRef,
  keptNames: readonly string[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM tool_secret WHERE item_id = ${ref.id} AND space_id = ${ref.space_id}
      AND name <> ALL(${sql.array([...keptNames], 'text')})`);
}
