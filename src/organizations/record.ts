import { grantName, withinScopes } from '../authz/permissions.ts';
import { nameOf } from './roles/kind.ts';
import type { RoleContent } from './roles/kind.ts';
import { organizationRoles, teamRoles } from './roles/system.ts';
import type { OrganizationListing, OrganizationRecord } from './schema.ts';
import type { ViewedRow } from './store.ts';

/** Returns an organization's record, with what the calling member or key may do there. */
export function recordOf({
  roles: heldRoles,
  teams,
  key_grant,
  ...fields
}: ViewedRow): OrganizationRecord {
  const roles = heldRoles.map(organizationRoles.resolve);
  const content = organizationRoles.contentOf(roles);
  const { permissions, capabilities } =
    key_grant === null ? content : contentOfKey(content, key_grant, teams);
  return {
    ...fields,
    membership: {
      roles: roles.map(nameOf),
      teams: activeTeams(teams, key_grant).map(({ id, name }) => ({ id, name })),
      permissions: [...permissions],
      capabilities: [...capabilities],
    },
  };
}

/**
 * Returns a record for a caller who needs no permission to read it: it omits `plan` and `created_at`
 * unless the caller has `can_view_organization`.
 */
export function listingOf({ plan, created_at, ...rest }: OrganizationRecord): OrganizationListing {
  const isViewer = rest.membership.permissions.includes(VIEW);
  return isViewer ? { ...rest, plan, created_at } : rest;
}

const VIEW = grantName('organization', 'profile_read')!;

/** Returns the person's teams; for a credential, only those in which it is active. */
const activeTeams = (teams: ViewedRow['teams'], key_grant: ViewedRow['key_grant']) =>
  key_grant === null ? teams : teams.filter(({ id }) => key_grant.team_ids?.includes(id) !== false);

/**
 * Returns what a key was granted. If it acts for a member, this is limited to what the member has
 * through roles of the organization or of teams.
 */
function contentOfKey(
  memberContent: RoleContent,
  key_grant: NonNullable<ViewedRow['key_grant']>,
  teams: ViewedRow['teams'],
): RoleContent {
  const closure = organizationRoles.closure(new Set(key_grant.permissions));
  const granted = key_grant.is_token === true ? withinScopes(closure) : closure;
  if (!key_grant.acts_for_member)
    return { permissions: granted, capabilities: key_grant.capabilities };
  const active = activeTeams(teams, key_grant);
  const inTeams = teamRoles.contentOf(active.flatMap(({ roles }) => roles).map(teamRoles.resolve));
  return {
    permissions: memberContent.permissions.filter((name) => granted.includes(name)),
    capabilities: key_grant.capabilities.filter(
      (name) => memberContent.capabilities.includes(name) || inTeams.capabilities.includes(name),
    ),
  };
}
