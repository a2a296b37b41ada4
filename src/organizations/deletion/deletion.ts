import { authorityOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent, unprocessable } from '../../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { OrganizationDeletion } from '../schema.ts';
import { lockOrganizationForUpdate, markOrganizationDeleted } from '../store.ts';

export interface DeletionDependencies extends Pick<
  OrganizationsDependencies,
  'authz' | 'endSsoAccess'
> {
  /** Starts removing the remaining rows of deleted organizations in the background. */
  removeSoon(): void;
}

/**
 * Deletes an organization by marking its row: the next authentication query finds no membership in
 * it, so every request for it gets a 404. What its identity providers may have added to the accounts
 * of members does not work from then on either. Its memberships are removed later, in batches.
 */
export function createDeletion({ authz, endSsoAccess, removeSoon }: DeletionDependencies) {
  return async function remove(
    caller: SessionPrincipal,
    id: string,
    { confirm }: OrganizationDeletion,
    request: RequestFacts,
  ): Promise<void> {
    const authority = authorityOf(caller, request);
    await authz.change({
      ...authority,
      reason: 'organization.delete',
      writes: [{ kind: 'organization', id }],
      objects: [],
      targets: [{ type: 'organization', id }],
      async work(transaction) {
        const name = await lockOrganizationForUpdate(transaction, id);
        if (name === null) throw absent('deleted concurrently');
        if (confirm.normalize('NFC').trim() !== name) throw notConfirmed('organization');
        const everyone = { organization_id: id, account_ids: 'all' } as const;
        await endSsoAccess(transaction, everyone, authority.actor);
        await markOrganizationDeleted(transaction, id);
        return name;
      },
      detail: (name) => ({ name }),
    });
    removeSoon();
  };
}

export const notConfirmed = (kind: 'organization' | 'team') =>
  unprocessable('confirmation_mismatch', `Type the name of the ${kind} to confirm.`, {
    detail: { pointer: '/confirm' },
  });
