import { sql } from '../../platform/postgres/database.ts';
import type { Connection } from '../../platform/postgres/database.ts';

/** Replaces all recovery codes of the account. */
export async function replaceRecoveryCodes(
  connection: Connection,
  accountId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await dropRecoveryCodes(connection, accountId);
  await connection.query(sql.typeAlias('void')`
    INSERT INTO account_recovery_code (account_id, code_hash)
    SELECT ${accountId}, code_hash FROM unnest(${sql.array(hashes, 'bytea')}) AS code_hash`);
}

/** Consumes a code; of concurrent calls only one returns true. */
export async function consumeRecoveryCode(
  connection: Connection,
  accountId: string,
  hash: Buffer,
): Promise<boolean> {
  const result = await connection.query(sql.typeAlias('void')`
    DELETE FROM account_recovery_code
    WHERE account_id = ${accountId} AND code_hash = ${sql.binary(hash)}`);
  return result.rowCount === 1;
}

export async function dropRecoveryCodes(connection: Connection, accountId: string): Promise<void> {
  await connection.query(sql.typeAlias('void')`
    DELETE FROM account_recovery_code WHERE account_id = ${accountId}`);
}
