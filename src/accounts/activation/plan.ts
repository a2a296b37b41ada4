import { systemActor } from '../../caller/actor.ts';
import type { PlanName } from '../../platform/config/plans.ts';
import type { AccountsParts } from '../dependencies.ts';
import { setPlan } from '../store.ts';
import { createFindAccount } from './find.ts';
import type { Activation } from './activation.ts';

/** Sets the plan of an account; returns null if there is none. */
export type SetPlan = (idOrEmail: string, plan: PlanName) => Promise<Activation | null>;

/** Changes an account's plan; the new limits apply from the next request on. */
export function createSetPlan({
  database,
  audit,
}: Pick<AccountsParts, 'database' | 'audit'>): SetPlan {
  const findAccount = createFindAccount(database);
  return async function setAccountPlan(idOrEmail, plan) {
    const found = await findAccount(idOrEmail);
    if (found === null) return null;
    const { id } = found;
    const changed = await database.transaction(async (transaction) => {
      const before = await setPlan(transaction, { id, plan });
      if (before === null || before === plan) return false;
      await audit.record(transaction, {
        actor: systemActor,
        action: 'account.plan',
        scope: { kind: 'account', id },
        units: [{ type: 'account', id }],
        detail: { before: { plan: before }, after: { plan } },
      });
      return true;
    });
    return { id, changed };
  };
}
