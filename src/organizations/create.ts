import { authorityOf } from '../caller/actor.ts';
import type { Save } from '../caller/once.ts';
import type { SessionPrincipal } from '../caller/principal.ts';
import type { RequestFacts } from '../caller/route.ts';
import { newId } from '../platform/ids.ts';
import { absent, unprocessable } from '../platform/errors/refusal.ts';
import type { Transaction } from '../platform/postgres/database.ts';
import type { OrganizationsDependencies } from './dependencies.ts';
import { requireRoomForMembership } from './members/join.ts';
import { insertMember, insertRoles, lockPlan } from './members/store.ts';
import { membershipObject } from './members/tuples.ts';
import { OWNER_ROLE } from './roles/system.ts';
import { insertOrganization, listOwnedOrganizations } from './store.ts';
import type { OrganizationDraft } from './schema.ts';

export interface NewOrganization {
  id: string;
}

/** Creates an organization whose only member and Owner is the caller; returns its id. */
export function createOrganizationCreation({
  authz,
  plans,
  spaces,
}: Pick<OrganizationsDependencies, 'authz' | 'plans' | 'spaces'>) {
  return async function create(
    caller: SessionPrincipal,
    { name }: OrganizationDraft,
    request: RequestFacts,
    save: Save<NewOrganization>,
  ): Promise<NewOrganization> {
    const id = newId();
    const membership = { id: newId(), organization_id: id, account_id: caller.person };
    const scopes = [
      { kind: 'membership', id: membership.id, organization_id: id },
      { kind: 'organization', id },
    ] as const;
    return authz.change({
      ...authorityOf(caller, request),
      reason: 'organization.create',
      writes: scopes,
      creates: scopes,
      objects: [{ object: membershipObject(membership) }],
      targets: [{ type: 'organization', id }],
      async work(transaction) {
        await requireRoomToOwn(transaction, plans, caller.person);
        await requireRoomForMembership(transaction, membership);
        await insertOrganization(transaction, { id, name });
        await spaces.add(transaction, id);
        await insertMember(transaction, membership);
        await spaces.addMember(transaction, membership);
        await insertRoles(transaction, membership, [OWNER_ROLE]);
        return save(transaction, { id });
      },
      detail: () => ({ name }),
    });
  };
}

/**
 * Throws 422 if the person owns as many organizations as their plan allows; locks their account.
 */
export async function requireRoomToOwn(
  transaction: Transaction,
  plans: OrganizationsDependencies['plans'],
  account_id: string,
): Promise<void> {
  const plan = await lockPlan(transaction, account_id);
  if (plan === null) throw absent('the account was deleted concurrently');
  const limit = plans[plan].organizations;
  if ((await listOwnedOrganizations(transaction, account_id)).length >= limit)
    throw unprocessable(
      'limit_reached',
      `This person’s plan allows ${limit} organizations of their own. One must be deleted or transferred first.`,
    );
}
