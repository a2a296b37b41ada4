import type { Actor } from '../../caller/actor.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { findConnectionById } from '../connections/store.ts';
import type { SsoDependencies } from '../dependencies.ts';
import { mayAct } from './account-access.ts';
import { listLinks } from './store.ts';

/** Ends what a connection may have left in an account, if it may not sign in to it any more. */
export type EndOutgrownLinks = (
  transaction: Transaction,
  account_id: string,
  actor: Actor,
) => Promise<void>;

/**
 * Creates the function that ends the links of an account that has been given more than those who
 * configured their connections may act with: a session, key or sign-in method that they left in the
 * account would act with it too. Runs in the transaction that gives it.
 */
export const createEndOutgrownLinks =
  ({ accounts: { identities } }: Pick<SsoDependencies, 'accounts'>): EndOutgrownLinks =>
  async (transaction, account_id, actor) => {
    for (const link of await listLinks(transaction, account_id)) {
      const connection = await findConnectionById(transaction, link.connection_id);
      if (connection !== null && !(await mayAct(transaction, connection, account_id)))
        await identities.supersede(transaction, link, actor);
    }
  };
