import { systemActor } from '../../caller/actor.ts';
import type { AccountsParts } from '../dependencies.ts';
import { endSessionsExcept } from '../sessions/end-sessions.ts';
import { lockAccountForUpdate, setStatus } from '../store.ts';
import { createFindAccount } from './find.ts';

export type AccountStatus = 'active' | 'deactivated';

export interface Activation {
  id: string;
  /** False if the account already had this status. */
  changed: boolean;
}

/** Activates or deactivates an account; returns null if there is none. */
export type Activate = (idOrEmail: string, status: AccountStatus) => Promise<Activation | null>;

const REASONS = { active: 'account.activate', deactivated: 'account.deactivate' } as const;

/** Changes an account's status. Reactivation restores its keys, but not its sessions. */
export function createActivation({
  database,
  authz,
}: Pick<AccountsParts, 'database' | 'authz'>): Activate {
  const findAccount = createFindAccount(database);
  return async function activate(idOrEmail, status) {
    const state = await findAccount(idOrEmail);
    if (state === null) return null;
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
          const account = await lockAccountForUpdate(transaction, id);
          if (account === null) throw new Unchanged(null);
          if (account.status === status) throw new Unchanged({ id, changed: false });
          await setStatus(transaction, { id, status });
          await endSessionsExcept(transaction, id, null);
        },
      });
    } catch (error) {
      if (error instanceof Unchanged) return error.result;
      throw error;
    }
    return { id, changed: true };
  };
}

/** Thrown to abort the transaction if the account is deleted or already has the status. */
class Unchanged extends Error {
  readonly result: Activation | null;
  constructor(result: Activation | null) {
    super('the status is already set');
    this.result = result;
  }
}
