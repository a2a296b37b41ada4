import type { Actor } from '../../caller/actor.ts';
import { MEMBER_ROLE } from '../../organizations/organizations.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { findConnectionById, moveGivenRole, moveGivenTeamRole } from '../connections/store.ts';
import type { ConnectionRow, GivenRole } from '../connections/store.ts';
import type { SsoDependencies } from '../dependencies.ts';
import { hasOnlyGiven } from './account-access.ts';
import { listAccess, listLimitedAccounts } from './store.ts';
import type { RoleHeld } from './store.ts';

/** Ends what connections may have left in an account that has been given more. */
export type EndOutgrownAccess = (
  transaction: Transaction,
  account: {
    account_id: string;
    /** The organization whose Owner the account has become. */
    owned?: string;
  },
  actor: Actor,
) => Promise<void>;

/**
 * Creates the function that ends the links of an account that has been given more than those who
 * configured its connections may act with, and the sessions, keys and sign-in methods that they may have
 * left in it, which would act with it too. These outlast the link, the connection and who configured
 * it, so all connections count that have been able to sign in to the account during the membership.
 * Runs in the transaction that gives it.
 */
export const createEndOutgrownAccess =
  ({ accounts: { identities } }: Pick<SsoDependencies, 'accounts'>): EndOutgrownAccess =>
  async (transaction, { account_id, owned }, actor) => {
    for (const { organization_id, ...access } of await listAccess(transaction, account_id)) {
      const isOwnership = organization_id === owned && access.by_others;
      if (!isOwnership) {
        if (!access.limited) continue;
        const given = await findGiven(transaction, access.connection_id);
        if (await hasOnlyGiven(transaction, { organization_id, ...given }, account_id)) continue;
      }
      const account_ids = [account_id];
      await identities.endAccess(transaction, { organization_id, account_ids }, actor);
    }
  };

/**
 * Returns what the person who configured a connection, which no Admin did, may act with. Without the
 * connection, that is what every member has: an Admin may have given more to people at another one.
 */
async function findGiven(
  transaction: Transaction,
  connection_id: string | null,
): Promise<Pick<ConnectionRow, 'role_ids' | 'seats'>> {
  const found = connection_id && (await findConnectionById(transaction, connection_id));
  return found || { role_ids: [MEMBER_ROLE], seats: [] };
}

/** A role, with the deleted roles that it replaces, which members may still have. */
export interface GrownRole extends GivenRole {
  replaced: readonly string[];
}

/**
 * Creates the functions for roles that permit more than before. A connection that no Admin configured
 * may give only what its author could: it no longer gives such a role, and what it may have left in
 * the accounts that have the role ends. They run in the transaction that adds to the role.
 */
export function createGrownRoles({ accounts: { identities } }: Pick<SsoDependencies, 'accounts'>) {
  async function endAccess(transaction: Transaction, held: RoleHeld, actor: Actor): Promise<void> {
    const account_ids = await listLimitedAccounts(transaction, held);
    const { organization_id } = held;
    await identities.endAccess(transaction, { organization_id, account_ids }, actor);
  }
  return {
    async growRole(transaction: Transaction, role: GrownRole, actor: Actor): Promise<void> {
      await moveGivenRole(transaction, role, null, 'limited');
      await endAccess(transaction, { ...heldAs(role), table: 'membership_role' }, actor);
    },
    async growTeamRole(transaction: Transaction, role: GrownRole, actor: Actor): Promise<void> {
      await moveGivenTeamRole(transaction, role, null, 'limited');
      await endAccess(transaction, { ...heldAs(role), table: 'team_member_role' }, actor);
    },
  };
}

const heldAs = ({ id, organization_id, replaced }: GrownRole) => ({
  organization_id,
  role_ids: [id, ...replaced],
});
