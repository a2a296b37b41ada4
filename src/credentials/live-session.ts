import { z } from 'zod';
import type { Actor } from '../caller/actor.ts';
import { invalidCredential } from '../platform/errors/refusal.ts';
import { sql } from '../platform/postgres/database.ts';
import type { Transaction } from '../platform/postgres/database.ts';

/**
 * Throws 401 if an actor's session has ended. The end of a live one waits for this transaction, so
 * that a change that ends all sessions of an account can then end all that was created in them.
 */
export async function requireLiveSession(
  transaction: Transaction,
  { kind, credential_id }: Actor,
): Promise<void> {
  if (kind !== 'user' || credential_id === null) return;
  const live = await transaction.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    SELECT id FROM account_session WHERE id = ${credential_id} AND revoked_at IS NULL FOR SHARE`);
  if (live === null) throw invalidCredential('the session has ended');
}
