import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { editOf, requireOrganization } from '../change.ts';
import { requirePlan } from '../refusals.ts';
import type { WritingDependencies } from './dependencies.ts';
import { issuerOf } from './record.ts';
import type { ConnectionRow } from './store.ts';

/**
 * Creates the function that removes the link of an account through a connection, and ends the
 * account's sessions. The next person with its address who signs in at the provider gets it:
 * for a person that the provider has created again.
 */
export function createUnlink({
  authz,
  accounts,
  guard,
}: Pick<WritingDependencies, 'authz' | 'accounts' | 'guard'>) {
  return async function unlink(
    caller: SessionPrincipal,
    stored: ConnectionRow,
    account_id: string,
    request: RequestFacts,
  ): Promise<void> {
    requirePlan(caller);
    await guard.requireMayChange(stored, await guard.isAdmin(caller));
    const { id, organization_id } = stored;
    await authz.edit({
      ...editOf(caller, organization_id, request),
      reason: 'sso_connection.unlink',
      targets: [{ type: 'sso_connection', id }],
      async work(transaction) {
        await requireOrganization(transaction, organization_id);
        await accounts.endAllSessions(transaction, [account_id]);
        const key = { issuer: issuerOf(id), account_id };
        if (!(await accounts.identities.forgetAccount(transaction, key)))
          throw absent('the account is not linked through this connection');
      },
      detail: () => ({ account_id }),
    });
  };
}
