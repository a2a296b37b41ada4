import type { Principal } from '../../caller/principal.ts';
import type { Grants } from '../grants/grants.ts';
import { organizationRoles } from '../roles/system.ts';
import { contentIn } from '../teams/seats/seats.ts';
import type { MemberRow } from './store.ts';

export interface MemberGuardDependencies {
  grants: Pick<Grants, 'requireHoldsAll'>;
}

/**
 * Creates a function that throws 403 unless the caller has every permission and capability that a
 * member has in the organization and in each of their teams: nobody else may change or remove them.
 */
export const createMemberGuard = ({ grants }: MemberGuardDependencies) =>
  async function requireHoldsAll(caller: Principal, member: MemberRow): Promise<void> {
    const { organization_id } = member;
    const roles = member.roles.map(organizationRoles.resolve);
    await grants.requireHoldsAll(caller, roles, { organization_id });
    for (const team of member.teams)
      await grants.requireHoldsAll(caller, [contentIn(member, team)], {
        organization_id,
        team_id: team.id,
      });
  };
