import { authorityOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent, unprocessable } from '../../platform/errors/refusal.ts';
import { requireRoomToOwn } from '../create.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { ADMIN_ROLE, OWNER_ROLE } from '../roles/system.ts';
import { readMember } from './principal.ts';
import type { OwnershipTransfer } from './schema.ts';
import { findMember, replaceRoles } from './store.ts';
import type { MemberRow } from './store.ts';
import { membershipObject } from './tuples.ts';

/** Makes another member the Owner and the former Owner an Admin, in one change. */
export function createTransfer(dependencies: OrganizationsDependencies) {
  const { authz, plans, endOutgrownAccess } = dependencies;
  const { pool, authPool } = dependencies.database;

  return async function transfer(
    caller: SessionPrincipal,
    organization_id: string,
    { account_id }: OwnershipTransfer,
    request: RequestFacts,
  ): Promise<void> {
    const from = await findMember(pool, { organization_id, account_id: caller.person });
    if (from === null) throw absent('left concurrently');
    const to = await findMember(pool, { organization_id, account_id });
    // Null for a deactivated account too: its Owner could not sign in.
    const recipient = await readMember(authPool, { organization_id, account_id });
    if (to === null || recipient === null || to.id === from.id) throw notAnotherMember();
    const { actor, basis } = authorityOf(caller, request);
    await authz.change({
      actor,
      // The caller's own scopes, as read by authentication, take precedence.
      basis: basis && [...recipient.scopes, to.scope, ...basis],
      reason: 'organization.transfer',
      // The former Owner comes first, so that there are never two Owners.
      writes: [from.scope, to.scope],
      objects: [from, to].map((member) => ({ object: membershipObject(member) })),
      targets: [from, to].map((member) => ({ type: 'account', id: member.account_id })),
      async work(transaction) {
        await requireRoomToOwn(transaction, plans, account_id);
        await replaceRoles(transaction, from, [ADMIN_ROLE, ...otherRoles(from)]);
        await replaceRoles(transaction, to, [OWNER_ROLE, ...otherRoles(to)]);
        await endOutgrownAccess(transaction, { account_id, owned: organization_id }, actor);
      },
      detail: () => ({ before: { owner: from.account_id }, after: { owner: to.account_id } }),
    });
  };
}

/** Returns a member's roles other than Owner and Admin. */
const otherRoles = ({ roles }: MemberRow) =>
  roles.map(({ id }) => id).filter((id) => id !== OWNER_ROLE && id !== ADMIN_ROLE);

const notAnotherMember = () =>
  unprocessable('not_a_member', 'Name another member of this organization.', {
    detail: { pointer: '/account_id' },
  });
