import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { authorityOf } from '../request.ts';
import type { ScimRequest } from '../request.ts';
import type { UserChangesDependencies } from './dependencies.ts';

/**
 * Creates the function that ends the membership of a user, the sessions of the person and the
 * invitation to their address; `also` runs in the same transaction.
 */
export function createDeactivation({
  database,
  members,
  accounts,
}: Pick<UserChangesDependencies, 'database' | 'members' | 'accounts'>) {
  return async function deactivate(
    request: ScimRequest,
    { account_id, email }: { account_id: string; email: string | null },
    also: (transaction: Transaction) => Promise<unknown>,
  ): Promise<void> {
    const { id: organization_id } = request.directory.organization;
    const member = await members.findMember(database.pool, { organization_id, account_id });
    if (member === null) throw new ConcurrentUpdate();
    await members.end(member, authorityOf(request), {
      reason: 'member.deactivate',
      async also(transaction) {
        await accounts.endSessions(transaction, account_id);
        if (email !== null)
          await members.revokeInvitationsTo(transaction, { organization_id, email });
        await also(transaction);
      },
    });
  };
}
