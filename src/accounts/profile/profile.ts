import { actorOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { AccountsParts } from '../dependencies.ts';
import type { Account, ProfileEdit } from '../schema.ts';
import { findAccount, updateProfile } from '../store.ts';
import { accountDeleted } from '../refusals.ts';
import { readProfileEdit } from './profile-rules.ts';

/** Reads and updates the caller's profile. */
export function createProfile({ database, audit }: Pick<AccountsParts, 'database' | 'audit'>) {
  async function read(
    { person: account_id }: Pick<SessionPrincipal, 'person'>,
    db: Queryable = database.pool,
  ): Promise<Account> {
    const account = await findAccount(db, account_id);
    if (account === null) throw accountDeleted();
    return account;
  }

  async function update(
    caller: SessionPrincipal,
    edit: ProfileEdit,
    request: RequestFacts,
  ): Promise<Account> {
    const change = readProfileEdit(edit);
    const fields = Object.keys(change);
    if (fields.length === 0) return read(caller);
    return database.transaction(async (transaction) => {
      if (!(await updateProfile(transaction, caller.person, change))) throw accountDeleted();
      await audit.record(transaction, {
        actor: actorOf(caller, request),
        action: 'profile.update',
        scope: { kind: 'account', id: caller.person },
        units: [{ type: 'account', id: caller.person }],
        detail: { fields },
      });
      return read(caller, transaction);
    });
  }

  return { read, update };
}
