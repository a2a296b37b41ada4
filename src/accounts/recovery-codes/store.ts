import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';

/** Replaces all recovery codes of the account. */
export async function replaceRecoveryCodes(
  db: Queryable,
  accountId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await dropRecoveryCodes(db, accountId);
  await db.query(sql.typeAlias('void')`
    INSERT INTO account_recovery_code (account_id, code_hash)
    SELECT ${accountId}, code_hash FROM unnest(${sql.array(hashes, 'bytea')}) AS code_hash`);
}

/** Consumes a code; of concurrent calls only one returns true. */
export async function consumeRecoveryCode(
  db: Queryable,
  accountId: string,
  hash: Buffer,
): Promise<boolean> {
  const result = await db.query(sql.typeAlias('void')`
    DELETE FROM account_recovery_code
    WHERE account_id = ${accountId} AND code_hash = ${sql.binary(hash)}`);
  return result.rowCount === 1;
}

export async function dropRecoveryCodes(db: Queryable, accountId: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    DELETE FROM account_recovery_code WHERE account_id = ${accountId}`);
}

/** Deletes the codes of those of these accounts that have no second factor. */
export async function dropUnneededRecoveryCodes(
  db: Queryable,
  accountIds: readonly string[],
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    DELETE FROM account_recovery_code c
    WHERE c.account_id = ANY(${sql.array([...accountIds], 'uuid')})
      AND NOT EXISTS (SELECT FROM account_totp t
        WHERE t.account_id = c.account_id AND t.confirmed_at IS NOT NULL)
      AND NOT EXISTS (SELECT FROM account_passkey p WHERE p.account_id = c.account_id)`);
}
