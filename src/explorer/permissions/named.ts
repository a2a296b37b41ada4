import {
  organizationPermissions,
  ownerSessionPermissions,
  teamPermissions,
} from '../../authz/permissions.ts';
import { absent } from '../../platform/errors/refusal.ts';

/** A permission in an organization or in its teams, as enforcement and grants name it. */
export interface NamedPermission {
  on: 'organization' | 'team';
  /** The suffix of its relation. */
  relation: string;
  /** Its name in grants. */
  name: string;
  /** Only the Owner's session has it; no grant can name it (G3). */
  is_owners: boolean;
}

const named =
  (on: NamedPermission['on'], is_owners = false) =>
  ({ relation, grant }: { relation: string; grant: string | null }): NamedPermission[] =>
    grant === null ? [] : [{ on, relation, name: grant, is_owners }];

/** Every permission that can be held in an organization; three only in a session of the Owner. */
export const permissionsInOrganization: readonly NamedPermission[] = [
  ...organizationPermissions.flatMap(named('organization')),
  ...ownerSessionPermissions.flatMap(named('organization', true)),
];

/** Every permission that can be held in a team. */
export const permissionsInTeam: readonly NamedPermission[] = teamPermissions.flatMap(named('team'));

export const isForCredentials = ({ is_owners }: NamedPermission): boolean => !is_owners;

const byName = new Map(
  [...permissionsInOrganization, ...permissionsInTeam].map((one) => [one.name, one]),
);

/** Returns the permission with this name in grants; null for any other name. */
export const permissionNamed = (name: string): NamedPermission | null => byName.get(name) ?? null;

/** Returns the permission with this name in grants; throws 404 for any other name. */
export function requirePermission(name: string): NamedPermission {
  const found = permissionNamed(name);
  if (found === null) throw absent('no permission in an organization has this name');
  return found;
}
