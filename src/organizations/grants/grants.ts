import type { Authz } from '../../authz/authz.ts';
import { MANAGES_EVERY_TEAM } from '../../authz/permissions.ts';
import type { OrganizationRelation, TeamRelation } from '../../authz/permissions.ts';
import { requireNotSuspended } from '../../caller/refusals.ts';
import { forbidden } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { RoleContent } from '../roles/kind.ts';
import { OWNER_ROLE } from '../roles/system.ts';
import type { TeamParams } from '../teams/schema.ts';
import { createMissing, homeOf, managesTeams } from './missing.ts';
import { isTeam } from './place.ts';
import type { Place } from './place.ts';
import { lacksPermission, permissionNotHeld } from './refusals.ts';
import {
  organizationRequirementsOf,
  ownerRequirementsOf,
  teamRequirementsOf,
} from './requirements.ts';
import type { Holder, Requirement } from './requirements.ts';

/** Permissions and capabilities to grant, with their pointer in the request body. */
export interface RequestedGrant {
  pointer: string;
  content: RoleContent;
}

type PermissionIn<In extends Place> = In extends TeamParams ? TeamRelation : OrganizationRelation;

/**
 * Ensures that callers give, in an organization and its teams, only what they have there according to
 * OpenFGA (G2, C5).
 */
export interface Grants {
  /** Returns a problem for each permission and capability that the holder does not have there. */
  problems(holder: Holder, granted: readonly RequestedGrant[], place: Place): Promise<Problem[]>;
  /** Returns the problems in the first of these places that has any. */
  problemsInAny(
    holder: Holder,
    granted: readonly RequestedGrant[],
    places: readonly Place[],
  ): Promise<Problem[]>;
  /** Returns whether the holder has the permission there. */
  holds<In extends Place>(
    holder: Holder,
    permission: PermissionIn<In>,
    place: In,
  ): Promise<boolean>;
  /** Throws 403 if the holder lacks the permission there, or the organization is suspended. */
  requirePermission<In extends Place>(
    holder: Holder,
    permission: PermissionIn<In>,
    place: In,
  ): Promise<void>;
  /** Throws 403 unless the holder has all that a member has there by these roles. */
  requireHoldsAll(
    holder: Holder,
    roles: readonly (RoleContent & { id?: string })[],
    place: Place,
  ): Promise<void>;
  /** Returns whether a session may manage all teams of the organization, without a seat in them. */
  managesEveryTeam(holder: Holder, organization_id: string): Promise<boolean>;
}

export function createGrants({ authz }: { authz: Pick<Authz, 'check' | 'checkEach'> }): Grants {
  const missingOf = createMissing({ authz });

  const missing = (holder: Holder, requirements: readonly Requirement[], place: Place) =>
    missingOf(holder, requirements, {
      organization_id: place.organization_id,
      teams: () => (isTeam(place) ? [place.team_id] : []),
      required: 'some',
    });

  const problems: Grants['problems'] = async (holder, granted, place) => {
    const requirementsOf = isTeam(place) ? teamRequirementsOf : organizationRequirementsOf;
    const requirements = granted.flatMap(({ content, pointer }) =>
      requirementsOf(holder, content, pointer),
    );
    return (await missing(holder, requirements, place)).map(({ problem }) => problem);
  };

  const holds: Grants['holds'] = async (holder, permission, place) => {
    const requirement: Requirement = {
      where: isTeam(place) ? 'team' : 'organization',
      relation: `can_${permission}`,
      problem: permissionNotHeld(permission, ''),
    };
    return (await missing(holder, [requirement], place)).length === 0;
  };

  return {
    problems,
    async problemsInAny(holder, granted, places) {
      for (const place of places) {
        const found = await problems(holder, granted, place);
        if (found.length > 0) return found;
      }
      return [];
    },
    holds,
    async requirePermission(holder, permission, place) {
      requireNotSuspended(holder);
      if (!(await holds(holder, permission, place)))
        throw lacksPermission(holder, isTeam(place) ? 'team' : 'organization', permission);
    },
    async requireHoldsAll(holder, roles, place) {
      const requirementsOf = isTeam(place) ? teamRequirementsOf : organizationRequirementsOf;
      const required = [
        ...roles.flatMap((role) => requirementsOf(holder, role, '')),
        ...(roles.some(({ id }) => id === OWNER_ROLE) ? ownerRequirementsOf(holder) : []),
      ];
      if ((await missing(holder, required, place)).length > 0)
        throw forbidden(
          'permission_denied',
          `This member has permissions or capabilities${isTeam(place) ? ' in the team' : ''} that you do not have, so you cannot change or remove them.`,
        );
    },
    async managesEveryTeam(holder, organization_id) {
      if (!managesTeams(holder)) return false;
      const home = homeOf(holder, organization_id);
      const results = await authz.check(holder, [MANAGES_EVERY_TEAM], home);
      return results.get(MANAGES_EVERY_TEAM) === true;
    },
  };
}
