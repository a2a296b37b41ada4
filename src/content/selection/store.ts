import { z } from 'zod';
import { sql } from '../../platform/database.ts';
import type { Connection, Transaction } from '../../platform/database.ts';

const SelectedRow = z.object({ tool_id: z.string() });

export async function readToolSelection(
  connection: Connection,
  account_id: string,
): Promise<readonly string[]> {
  return connection.anyFirst(sql.type(SelectedRow)`
    SELECT tool_id FROM tool_selection WHERE account_id = ${account_id}`);
}

export async function replaceToolSelection(
  transaction: Transaction,
  account_id: string,
  tool_ids: readonly string[],
): Promise<void> {
  const ids = sql.array([...tool_ids], 'uuid');
  await transaction.query(sql.unsafe`
    DELETE FROM tool_selection WHERE account_id = ${account_id} AND tool_id <> ALL(${ids})`);
  await transaction.query(sql.unsafe`
    INSERT INTO tool_selection (account_id, tool_id)
    SELECT ${account_id}::uuid, unnest(${ids}) ON CONFLICT DO NOTHING`);
}
