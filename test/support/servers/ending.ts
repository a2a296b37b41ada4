import { setTimeout as pause } from 'node:timers/promises';
import type { World } from '../worlds/world.ts';

/** Runs `work` while a transaction that ends every session of the account is still open. */
export async function whileSessionsEnd<Value>(
  { query }: Pick<World, 'query'>,
  accountId: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const ended = query(
    `BEGIN; SELECT FROM account WHERE id = '${accountId}' FOR UPDATE;
     UPDATE account_session SET revoked_at = now() WHERE account_id = '${accountId}';
     SELECT pg_sleep(1.5); COMMIT`,
  );
  await pause(200);
  const value = await work();
  await ended;
  return value;
}
