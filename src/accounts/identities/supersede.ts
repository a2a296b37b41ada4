import type { Actor } from '../../caller/actor.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import type { AccountsParts } from '../dependencies.ts';
import { endSessionsExcept } from '../sessions/end-sessions.ts';
import { dropMethodsSince } from '../sign-in/methods.ts';
import { endCredentials } from '../store.ts';

/** An identity that gives way to another one. */
interface SupersededIdentity {
  id: string;
  account_id: string;
  provider: string;
  /** When it was linked. */
  created_at: string;
}

/**
 * Creates the function that removes an identity through which someone else may have signed in. It
 * also removes the sign-in methods that were added since it was linked, and ends all sessions, keys
 * and OAuth connections, after locking the account.
 */
export const createSupersede =
  ({ audit }: Pick<AccountsParts, 'audit'>) =>
  async (
    transaction: Transaction,
    { id, account_id, provider, created_at: since }: SupersededIdentity,
    actor: Actor,
  ): Promise<void> => {
    await endSessionsExcept(transaction, account_id, null);
    await dropMethodsSince(transaction, { account_id, since });
    await endCredentials(transaction, account_id);
    await audit.record(transaction, {
      actor,
      action: 'identity.unlink',
      scope: { kind: 'account', id: account_id },
      units: [{ type: 'identity', id }],
      detail: { provider },
    });
  };
