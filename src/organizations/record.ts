import { nameOf } from './roles/kind.ts';
import type { RoleContent } from './roles/kind.ts';
import { organizationRoles } from './roles/system.ts';
import type { OrganizationRecord } from './schema.ts';
import type { ViewedRow } from './store.ts';
import { teamRoles } from './teams/roles/system.ts';

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
      teams: teams.map(({ id, name }) => ({ id, name })),
      permissions: [...permissions],
      capabilities: [...capabilities],
    },
  };
}

/**
 * Returns what a key was granted. If it acts for a member, this is limited to what the member has
 * through roles of the organization or of teams.
 */
function contentOfKey(
  memberContent: RoleContent,
  key_grant: NonNullable<ViewedRow['key_grant']>,
  teams: ViewedRow['teams'],
): RoleContent {
  const granted = organizationRoles.closure(new Set(key_grant.permissions));
  if (!key_grant.acts_for_member)
    return { permissions: granted, capabilities: key_grant.capabilities };
  const { team_ids } = key_grant;
  const active = teams.filter(({ id }) => team_ids?.includes(id) !== false);
  const inTeams = teamRoles.contentOf(active.flatMap(({ roles }) => roles).map(teamRoles.resolve));
  return {
    permissions: memberContent.permissions.filter((name) => granted.includes(name)),
    capabilities: key_grant.capabilities.filter(
      (name) => memberContent.capabilities.includes(name) || inTeams.capabilities.includes(name),
    ),
  };
}
