import {
  MANAGES_EVERY_TEAM,
  organizationPermissions,
  teamPermissions,
} from '../authz/permissions.ts';
import type { Permission } from '../authz/permissions.ts';
import { membershipObject, seatObject } from '../organizations/organizations.ts';
import type { Compare } from '../visibility/visibility.ts';

/** The permissions that are compared, besides lists: those in the organization, or in a team. */
export type Compared = null | { organization_id: string; team_id: string | null };

const NONE: ReadonlySet<string> = new Set();
const relationOf = ({ relation }: Permission) => `can_${relation}`;
const inOrganization = organizationPermissions.map(relationOf);
const inTeam = teamPermissions.map(relationOf);

/** Returns the function that finds which of the compared permissions a subject has. */
export function compareIn(compared: Compared): Compare {
  if (compared === null) return async () => NONE;
  const { organization_id, team_id } = compared;
  return async ({ account_id, credential }, held) => {
    if (account_id === null) return NONE;
    const membership = membershipObject({ organization_id, account_id });
    if (team_id === null) return held(membership, inOrganization);
    // In a session, the person then has every permission in every team.
    if (credential === null && (await held(membership, [MANAGES_EVERY_TEAM])).size > 0)
      return new Set(inTeam);
    return held(seatObject({ team_id, account_id }), inTeam);
  };
}

/** Returns the names in grants of the compared relations that `relations` has and `others` lacks. */
export function permissionsIn(
  compared: Compared,
  relations: ReadonlySet<string>,
  others: ReadonlySet<string>,
): string[] {
  const added = relations.difference(others);
  const table: readonly Permission[] =
    compared?.team_id === null ? organizationPermissions : teamPermissions;
  return table.flatMap((one) => (added.has(relationOf(one)) ? (one.grant ?? one.relation) : []));
}
