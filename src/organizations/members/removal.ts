import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Authz } from '../../authz/authz.ts';
import { authorityOf } from '../../caller/actor.ts';
import type { Authority } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { Grants } from '../grants/grants.ts';
import type { Database, Transaction } from '../../platform/postgres/database.ts';
import { organizationRoles, OWNER_ROLE } from '../roles/system.ts';
import { listSeatsOf } from '../teams/seats/store.ts';
import { seatObject } from '../teams/seats/tuples.ts';
import { changeOf } from './change.ts';
import type { createMemberGuard } from './guard.ts';
import { isSelf, lastOwner } from './rules.ts';
import type { MemberParams } from './schema.ts';
import { markLeft } from './store.ts';
import type { MemberRow } from './store.ts';

export interface RemovalDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'change'>;
  endSsoAccess: OrganizationsDependencies['endSsoAccess'];
  grants: Grants;
  requireHoldsAll: ReturnType<typeof createMemberGuard>;
  get(params: MemberParams): Promise<MemberRow>;
}

/**
 * Removes a member and their seats in teams. Leaving requires neither a permission nor an active
 * organization. Removing another member requires both, and every permission that the member has in
 * the organization and in each of their teams.
 */
export function createRemoval({ grants, requireHoldsAll, get, ...shared }: RemovalDependencies) {
  const end = createMembershipEnd(shared);
  return async function remove(caller: Principal, params: MemberParams, request: RequestFacts) {
    const member = await get(params);
    const isLeaving = isSelf(caller, member);
    if (!isLeaving) {
      await grants.requirePermission(caller, 'members_remove', params);
      await requireHoldsAll(caller, member);
    }
    const reason = isLeaving ? 'member.leave' : 'member.remove';
    await end(member, authorityOf(caller, request), { reason });
  };
}

/** How a membership ends. */
interface End {
  reason: 'member.leave' | 'member.remove' | 'member.deactivate';
  /** Called in the same transaction. */
  also?(transaction: Transaction): Promise<void>;
}

/**
 * Creates the function that ends a membership with its seats, after which the organization's
 * identity provider no longer identifies the person, and what it may have added to the account does
 * not work. The caller must have checked that it may end. Throws 422 for the Owner.
 */
export function createMembershipEnd({
  database,
  authz,
  endSsoAccess,
}: Pick<RemovalDependencies, 'database' | 'authz' | 'endSsoAccess'>) {
  return async function end(
    member: MemberRow,
    authority: Authority,
    { reason, also }: End,
  ): Promise<void> {
    const role_ids = member.roles.map(organizationRoles.resolve).map(({ id }) => id);
    if (role_ids.includes(OWNER_ROLE)) throw lastOwner();
    const seats = (await listSeatsOf(database.pool, [member.id])).map(seatObject);
    const change = changeOf(member, authority);
    await authz.change({
      ...change,
      objects: [...change.objects, ...seats.map((object) => ({ object }))],
      reason,
      async work(transaction) {
        const current = (await listSeatsOf(transaction, [member.id])).map(seatObject);
        if (!new Set(current).isSubsetOf(new Set(seats))) throw new ConcurrentUpdate();
        const { organization_id, account_id } = member;
        const accounts = { organization_id, account_ids: [account_id] };
        await endSsoAccess(transaction, accounts, authority.actor);
        await markLeft(transaction, member.id);
        await also?.(transaction);
      },
      detail: () => ({
        before: { role_ids, team_ids: member.teams.map(({ id }) => id) },
      }),
    });
  };
}
