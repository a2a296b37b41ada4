import type { Connection } from '../platform/postgres/database.ts';
import { unauthenticated, unprocessable } from '../platform/errors/refusal.ts';
import { hasWayIn } from './store.ts';

/** The account or the session ended while its request was under way. */
export const accountGone = () =>
  unauthenticated('invalid_credential', 'The credential is not valid.');

/** One answer for every link that does nothing: wrong, run out, used, or of a time gone by. */
export const tokenInvalid = () =>
  unprocessable('token_invalid', 'This link is wrong or has expired. Ask for a new one.', {
    detail: { pointer: '/token' },
  });

/** After a way in was removed from an account that is held: throws 422 if it was the last. */
export async function requireWayIn(transaction: Connection, accountId: string): Promise<void> {
  if (await hasWayIn(transaction, accountId)) return;
  throw unprocessable(
    'last_way_in',
    'This is your only way to sign in. Set a password or add another.',
  );
}
