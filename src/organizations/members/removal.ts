import type { Authz } from '../../authz/authz.ts';
import { authorityOf } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { EscalationGuard } from '../escalation.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { organizationRoles, OWNER_ROLE } from '../roles/system.ts';
import { listSeatsOf } from '../teams/seats/store.ts';
import { seatObject } from '../teams/seats/tuples.ts';
import { changeOf } from './change.ts';
import type { createMemberGuard } from './escalation.ts';
import { isSelf, lastOwner } from './rules.ts';
import type { MemberParams } from './schema.ts';
import { markLeft } from './store.ts';
import type { MemberRow } from './store.ts';

export interface RemovalDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'change'>;
  escalation: EscalationGuard;
  requireHoldsAll: ReturnType<typeof createMemberGuard>;
  get(params: MemberParams): Promise<MemberRow>;
}

/**
 * Removes a member and their seats in teams. Leaving requires neither a permission nor an active
 * organization. Removing another member requires both, and every permission that the member has in
 * the organization and in each of their teams.
 */
export function createRemoval({
  database,
  authz,
  escalation,
  requireHoldsAll,
  get,
}: RemovalDependencies) {
  return async function remove(caller: Principal, params: MemberParams, request: RequestFacts) {
    const member = await get(params);
    const isLeaving = isSelf(caller, member);
    const roles = member.roles.map(organizationRoles.resolve);
    if (!isLeaving) {
      await escalation.requirePermission(caller, 'members_remove');
      await requireHoldsAll(caller, member);
    }
    if (roles.some(({ id }) => id === OWNER_ROLE)) throw lastOwner();
    const seats = (await listSeatsOf(database.pool, [member.id])).map(seatObject);
    const change = changeOf(member, authorityOf(caller, request));
    await authz.change({
      ...change,
      objects: [...change.objects, ...seats.map((object) => ({ object }))],
      reason: isLeaving ? 'member.leave' : 'member.remove',
      work: (transaction) => markLeft(transaction, member.id),
      detail: () => ({
        before: { role_ids: roles.map(({ id }) => id), team_ids: member.teams.map(({ id }) => id) },
      }),
    });
  };
}
