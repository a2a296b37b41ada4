import type { Principal } from '../../caller/principal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { Grants } from '../grants/grants.ts';
import type { NamedSeat, SeatGuard } from '../invitations/seats/guard.ts';
import { createRoleChoice } from '../roles/choice.ts';
import { ADMIN_ROLE, organizationRoles } from '../roles/system.ts';

/** Roles and seats of people who join without an invitation. */
export interface JoinGrant {
  role_ids: readonly string[];
  seats: readonly NamedSeat[];
  /** Roles among them that were granted before, and need not be checked again. */
  held: readonly string[];
}

/** Decides which roles and seats callers may grant to people who join without an invitation. */
export interface JoinGrants {
  /** Returns a problem for each role and seat that the caller may not grant. */
  problems(caller: Principal, organization_id: string, grant: JoinGrant): Promise<Problem[]>;
  /** Returns whether the caller has every permission of an Admin. */
  isAdmin(caller: Principal): Promise<boolean>;
}

export function createJoinGrants(
  dependencies: Pick<OrganizationsDependencies, 'database'> & {
    grants: Grants;
    seatGuard: SeatGuard;
  },
): JoinGrants {
  const { grants, seatGuard } = dependencies;
  const chooseRoles = createRoleChoice({ ...dependencies, kind: organizationRoles });
  const admin = organizationRoles.resolve({ id: ADMIN_ROLE, custom: null });

  return {
    async problems(caller, organization_id, { role_ids, seats, held }) {
      const chosen = await chooseRoles(caller, { organization_id }, { role_ids, held });
      const inTeams = await seatGuard.problems(caller, organization_id, seats, null);
      return [...chosen.problems, ...inTeams];
    },
    async isAdmin(caller) {
      const granted = [{ pointer: '', content: admin }];
      const place = { organization_id: caller.organization!.id };
      return (await grants.problems(caller, granted, place)).length === 0;
    },
  };
}
