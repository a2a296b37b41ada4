import { organizationPermissions, teamPermissions } from '../../authz/permissions.ts';
import { permissionWords } from '../organizations/parts/permission-words.ts';
import { listOf } from '../texts/texts.ts';
import type { TextName, Translate } from '../texts/texts.ts';

/** Permissions that only the Owner has, in a session: no table of a role has them. */
export const OWNER_PERMISSIONS: Readonly<Record<string, TextName>> = {
  can_delete_organization: 'access.owner_delete',
  can_update_organization_billing: 'access.owner_billing',
  can_transfer_organization_ownership: 'access.owner_transfer',
};

const ofTeams = new Set(teamPermissions.map(({ grant }) => grant));

/** Whether a permission is held in teams, not in the organization. */
export const isInTeams = (name: string): boolean => ofTeams.has(name);

/** Returns the name of a permission in words, such as `API keys: View`. */
export function permissionText(name: string, t: Translate): string {
  const owners = OWNER_PERMISSIONS[name];
  return owners === undefined ? listOf(permissionWords([name], t)) : t(owners);
}

const named = (table: readonly { grant: string | null }[]) =>
  table.flatMap(({ grant }) => grant ?? []);

/** The names of all permissions in an organization and in its teams. */
export const PERMISSION_NAMES = {
  organization: [...named(organizationPermissions), ...Object.keys(OWNER_PERMISSIONS)],
  team: named(teamPermissions),
} as const;

/** Texts of reasons that are errors' codes or reasons why an item is hidden. */
const REASONS: Readonly<Record<string, TextName>> = {
  invalid_credential: 'explain.denied.usable',
  organization_suspended: 'explain.denied.organization_active',
  address_not_allowed: 'explain.denied.address_allowed',
  outside_hours: 'explain.denied.within_hours',
  method_not_found: 'explain.denied.exists',
  rate_limited: 'explain.denied.limit',
  not_connected: 'reason.not_connected',
  not_selected: 'reason.not_selected',
  held: 'reason.held',
  not_exposed: 'reason.not_exposed',
  permission_denied: 'access.reason.permission_denied',
  not_found: 'access.reason.not_found',
  insufficient_scope: 'access.reason.insufficient_scope',
  capability_missing: 'access.reason.capability_missing',
  key_policy: 'access.reason.own_policy',
  permission_missing: 'access.reason.permission_missing',
  interactive_only: 'access.reason.interactive_only',
  not_a_member: 'access.reason.not_a_member',
  not_in_team: 'access.reason.not_in_team',
  not_visible: 'access.reason.not_visible',
};

/** Returns in words why something is denied. */
export function reasonText(reason: string, t: Translate): string {
  const text = REASONS[reason];
  return text === undefined ? reason : t(text);
}
