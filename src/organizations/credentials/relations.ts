import {
  capabilityByScope,
  organizationPermissionByGrant,
  permissionByScope,
  personalPermissionByGrant,
  teamPermissionByGrant,
} from '../../authz/permissions.ts';
import type { Permission, PermissionContext } from '../../authz/permissions.ts';
import type { AuthorityRow } from './authority.ts';
import { grantFor } from './grants.ts';

/** Returns the relations of the capabilities that a credential has where it runs, each once. */
export const declaredRelations = ({ scopes, mcp_capabilities }: AuthorityRow): string[] => {
  const names = scopes?.flatMap((name) => capabilityByScope(name) ?? []) ?? mcp_capabilities;
  return [...new Set(names)].map((name) => `declared_${name}`);
};

/**
 * Returns the relations of what a credential was granted in an organization, or with null in its
 * person's account, each once: none without a grant, `granted` alone for an empty one (G6).
 * Permissions are written as stored; the model derives the implied ones (G1).
 */
export function carriedRelations(row: AuthorityRow, organization_id: string | null): string[] {
  const { scopes, runs_in, grants } = row;
  if (scopes !== null)
    return runs_in === organization_id
      ? ['granted', ...relationsOf(permissionsByScopes(scopes, organization_id))]
      : [];
  const grant = grantFor(grants, organization_id);
  if (grant === null) return [];
  const relations = relationsOf(permissionsByGrants(grant.permissions, organization_id));
  return ['granted', ...relations, ...(relations.includes(MARKED) ? ['is_key'] : [])];
}

/**
 * A key that carries this also carries the permission to read the audit log, a token does not: the
 * tuple `is_key` tells them apart.
 */
const MARKED = 'carried_profile_write';

const CARRIED = {
  personal: 'carried',
  organization: 'carried',
  team: 'team_carried',
} as const satisfies Record<PermissionContext, string>;

const relationsOf = (permissions: readonly Permission[]): string[] => [
  ...new Set(permissions.map(({ context, relation }) => `${CARRIED[context]}_${relation}`)),
];

/** Returns the permissions of these OAuth scopes that apply in an organization, or in an account. */
const permissionsByScopes = (scopes: readonly string[], organization_id: string | null) =>
  scopes
    .map(permissionByScope)
    .filter((one) => one !== null)
    .filter(({ context }) => (context === 'personal') === (organization_id === null));

/** Returns the permissions of these names in a grant; unknown names have none. */
const permissionsByGrants = (names: readonly string[], organization_id: string | null) =>
  names.flatMap((name): Permission[] => {
    const permission =
      organization_id === null
        ? personalPermissionByGrant(name)
        : (organizationPermissionByGrant(name) ?? teamPermissionByGrant(name));
    return permission === null ? [] : [permission];
  });
