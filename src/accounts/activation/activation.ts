import { systemActor } from '../../caller/actor.ts';
import { isUuid } from '../../platform/ids.ts';
import { normalizeAddress } from '../address.ts';
import type { AccountsParts } from '../dependencies.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { findAccountState, findStateByEmail, lockAccount, setStatus } from '../store.ts';

export type AccountStatus = 'active' | 'deactivated';

export interface Activation {
  id: string;
  /** False if it was so before. */
  changed: boolean;
}

/** How an operator takes an account out of use and gives it back; null if nobody is `who`. */
export type Activate = (who: string, status: AccountStatus) => Promise<Activation | null>;

const REASONS = { active: 'account.activate', deactivated: 'account.deactivate' } as const;

/** `who` is an id or an address. Keys work again with the account; its sessions stay ended. */
export function createActivation(
  parts: Pick<AccountsParts, 'database' | 'authz'> & { sessions: Pick<Sessions, 'endOthers'> },
): Activate {
  const { database, authz, sessions } = parts;
  return async function activate(who, status) {
    const email = normalizeAddress(who);
    const state = isUuid(who)
      ? await findAccountState(database.pool, who)
      : email && (await findStateByEmail(database.pool, email));
    if (!state) return null;
    const { id } = state;
    try {
      await authz.change({
        actor: systemActor,
        reason: REASONS[status],
        writes: [{ kind: 'account', id }],
        objects: [{ object: `account:${id}`, subject: `user:${id}` }],
        targets: [{ type: 'account', id }],
        basis: null,
        async work(transaction) {
          const account = await lockAccount(transaction, id);
          if (account === null) throw new NothingToDo(null);
          if (account.status === status) throw new NothingToDo({ id, changed: false });
          await setStatus(transaction, { id, status });
          await sessions.endOthers(transaction, id, null);
        },
      });
    } catch (error) {
      if (error instanceof NothingToDo) return error.answer;
      throw error;
    }
    return { id, changed: true };
  };
}

/** Ends a transaction that finds the account gone, or so already. */
class NothingToDo extends Error {
  readonly answer: Activation | null;
  constructor(answer: Activation | null) {
    super('nothing to do');
    this.answer = answer;
  }
}
