import type { Principal } from '../../caller/principal.ts';
import type { EscalationGuard } from '../escalation.ts';
import { organizationRoles } from '../roles/system.ts';
import type { TeamEscalationGuard } from '../teams/escalation.ts';
import { contentIn } from '../teams/seats/seats.ts';
import type { MemberRow } from './store.ts';

export interface MemberGuardDependencies {
  escalation: Pick<EscalationGuard, 'requireHoldsAll'>;
  guard: Pick<TeamEscalationGuard, 'requireHoldsAll'>;
}

/**
 * Creates a function that throws 403 unless the caller has every permission and capability that a
 * member has in the organization and in each of their teams: nobody else may change or remove them.
 */
export const createMemberGuard = ({ escalation, guard }: MemberGuardDependencies) =>
  async function requireHoldsAll(caller: Principal, member: MemberRow): Promise<void> {
    await escalation.requireHoldsAll(caller, member.roles.map(organizationRoles.resolve));
    const { organization_id } = member;
    for (const team of member.teams)
      await guard.requireHoldsAll(
        caller,
        { organization_id, team_id: team.id },
        contentIn(member, team),
      );
  };
