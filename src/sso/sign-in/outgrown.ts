import type { Actor } from '../../caller/actor.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { findConnectionById, moveGivenRole, moveGivenTeamRole } from '../connections/store.ts';
import type { GivenRole } from '../connections/store.ts';
import type { SsoDependencies } from '../dependencies.ts';
import { mayAct } from './account-access.ts';
import { listLimitedLinks, listLinks } from './store.ts';
import type { RoleHeld } from './store.ts';

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
      if (connection === null || (await mayAct(transaction, connection, account_id))) continue;
      const { organization_id } = link;
      await identities.endAccess(
        transaction,
        { organization_id, account_ids: [account_id] },
        actor,
      );
    }
  };

/** A role, with the deleted roles that it replaces, which members may still have. */
export interface GrownRole extends GivenRole {
  replaced: readonly string[];
}

/**
 * Creates the functions that take a role that contains more than before from what connections give
 * that no Admin configured, since they were allowed to give what it contained; and that end the links
 * through them of the accounts that have it. They run in the transaction that adds to the role.
 */
export function createGrownRoles({ accounts: { identities } }: Pick<SsoDependencies, 'accounts'>) {
  async function endLinks(transaction: Transaction, held: RoleHeld, actor: Actor): Promise<void> {
    const links = await listLimitedLinks(transaction, held);
    const { organization_id } = held;
    const account_ids = links.map(({ account_id }) => account_id);
    await identities.endAccess(transaction, { organization_id, account_ids }, actor);
  }
  return {
    async growRole(transaction: Transaction, role: GrownRole, actor: Actor): Promise<void> {
      await moveGivenRole(transaction, role, null, 'limited');
      await endLinks(transaction, { ...heldAs(role), table: 'membership_role' }, actor);
    },
    async growTeamRole(transaction: Transaction, role: GrownRole, actor: Actor): Promise<void> {
      await moveGivenTeamRole(transaction, role, null, 'limited');
      await endLinks(transaction, { ...heldAs(role), table: 'team_member_role' }, actor);
    },
  };
}
export type GrownRoles = ReturnType<typeof createGrownRoles>;

const heldAs = ({ id, organization_id, replaced }: GrownRole) => ({
  organization_id,
  role_ids: [id, ...replaced],
});
