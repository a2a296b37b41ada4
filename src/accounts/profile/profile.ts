import { actorOf } from '../../caller/actor.ts';
import type { SessionCaller } from '../../caller/caller.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Parts } from '../dependencies.ts';
import type { Account } from '../schema.ts';
import { findAccount, updateProfile } from '../store.ts';
import { accountGone } from '../gone.ts';
import { readProfileEdit } from './profile-rules.ts';
import type { ProfileEdit } from './schema.ts';

/** What a person says of themselves. */
export function createProfile({ database, audit }: Pick<Parts, 'database' | 'audit'>) {
  async function read({ account_id }: { account_id: string }): Promise<Account> {
    const account = await findAccount(database.pool, account_id);
    if (account === null) throw accountGone();
    return account;
  }

  async function update(
    caller: SessionCaller,
    edit: ProfileEdit,
    request: RequestFacts,
  ): Promise<Account> {
    const change = readProfileEdit(edit);
    const fields = Object.keys(change);
    if (fields.length === 0) return read(caller);
    return database.transaction(async (transaction) => {
      const account = await updateProfile(transaction, caller.account_id, change);
      if (account === null) throw accountGone();
      await audit.record(transaction, {
        actor: actorOf(caller, request),
        action: 'profile.update',
        scope: { kind: 'account', id: caller.account_id },
        units: [{ type: 'account', id: caller.account_id }],
        detail: { fields },
      });
      return account;
    });
  }

  return { read, update };
}
