import type { Principal } from '../../../caller/principal.ts';
import type { Problem } from '../../../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from '../../dependencies.ts';
import type { Grants } from '../../grants/grants.ts';
import type { Holder } from '../../grants/requirements.ts';
import type { HeldRole } from '../../roles/kind.ts';
import { unknownTeam } from '../../teams/refusals.ts';
import { createRoleChoice } from '../../roles/choice.ts';
import { teamRoles } from '../../roles/system.ts';
import type { TeamVisibility } from '../../teams/visibility.ts';
import type { InvitedSeat } from './store.ts';

/** A seat that a caller names; one that was granted before need not be checked again. */
export interface NamedSeat extends InvitedSeat {
  held?: boolean;
}

export interface SeatGuardDependencies extends Pick<OrganizationsDependencies, 'database'> {
  grants: Grants;
  visibility: Pick<TeamVisibility, 'isInside'>;
}

/**
 * Decides which seats a person may grant by an invitation: only in teams that they are in or may
 * manage, with the permission to add members there, and with roles that grant at most what they
 * have.
 */
export function createSeatGuard({ database, grants, visibility }: SeatGuardDependencies) {
  const chooseRoles = createRoleChoice({ kind: teamRoles, database, grants });

  return {
    /** Returns the problems of seats that a caller names; `pointerToAll` replaces all pointers. */
    async problems(
      caller: Principal,
      organization_id: string,
      seats: readonly NamedSeat[],
      pointerToAll: string | null,
    ) {
      const problems: Problem[] = [];
      for (const [index, { team_id, role_ids, held = false }] of seats.entries()) {
        if (held) continue;
        const team = { organization_id, team_id };
        const pointer = pointerToAll ?? `/teams/${index}`;
        if (!(await visibility.isInside(caller, team))) {
          problems.push(unknownTeam(pointerToAll ?? `${pointer}/team_id`));
          continue;
        }
        if (!(await grants.holds(caller, 'members_create', team)))
          problems.push(notAllowedToAdd(pointer));
        const chosen = await chooseRoles(
          caller,
          team,
          { role_ids, held: [] },
          (role) => pointerToAll ?? `${pointer}/role_ids/${role}`,
        );
        problems.push(...chosen.problems);
      }
      return problems;
    },
    /** Returns whether an inviter may still grant these seats. */
    async areGrantable(
      inviter: Holder,
      organization_id: string,
      seats: readonly { id: string; roles: readonly HeldRole[] }[],
    ) {
      for (const { id: team_id, roles } of seats) {
        const team = { organization_id, team_id };
        const granted = roles.map((role) => ({ pointer: '', content: teamRoles.resolve(role) }));
        if (!(await grants.holds(inviter, 'members_create', team))) return false;
        if ((await grants.problems(inviter, granted, team)).length > 0) return false;
      }
      return true;
    },
  };
}
export type SeatGuard = ReturnType<typeof createSeatGuard>;

const notAllowedToAdd = (pointer: string): Problem => ({
  code: 'permission_not_held',
  message: 'Adding members to this team requires `can_create_team_members` there.',
  detail: { pointer, permission: 'can_create_team_members' },
});
