import type { Connection } from '../platform/database.ts';
import { unprocessable } from '../platform/refusal.ts';
import { hasWayIn } from './store.ts';

/** After a way in was removed from an account that is held: throws 422 if it was the last. */
export async function requireWayIn(transaction: Connection, accountId: string): Promise<void> {
  if (await hasWayIn(transaction, accountId)) return;
  throw unprocessable(
    'last_way_in',
    'This is your only way to sign in. Set a password or add another.',
  );
}
