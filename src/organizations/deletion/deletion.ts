import { authorityOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent, unprocessable } from '../../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { OrganizationDeletion } from '../schema.ts';
import { lockOrganization, markOrganizationDeleted } from '../store.ts';

export interface DeletionDependencies extends Pick<OrganizationsDependencies, 'authz'> {
  /** Starts removing the remaining rows of deleted organizations in the background. */
  removeSoon(): void;
}

/**
 * Deletes an organization by marking its row: the next authentication query finds no membership in
 * it, so every request for it gets a 404. Its memberships are removed later, in batches.
 */
export function createDeletion({ authz, removeSoon }: DeletionDependencies) {
  return async function remove(
    caller: SessionPrincipal,
    id: string,
    { confirm }: OrganizationDeletion,
    request: RequestFacts,
  ): Promise<void> {
    await authz.change({
      ...authorityOf(caller, request),
      reason: 'organization.delete',
      writes: [{ kind: 'organization', id }],
      objects: [],
      targets: [{ type: 'organization', id }],
      async work(transaction) {
        const name = await lockOrganization(transaction, id);
        if (name === null) throw absent('deleted concurrently');
        if (confirm.normalize('NFC').trim() !== name) throw notConfirmed('organization');
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
