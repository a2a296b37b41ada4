import { capabilityByScope, permissionByScope } from '../authz/permissions.ts';
import type { Capability } from '../authz/permissions.ts';
import { tokenGrantOf } from '../caller/principal.ts';
import type { Principal } from '../caller/principal.ts';

/** What an access token allows in its organization, as the grant of a key with the same names. */
export interface GrantOfToken {
  organization_id: string;
  permissions: string[];
  capabilities: Capability[];
  /** The teams that its connection is bound to; null if it follows teams. */
  team_ids: readonly string[] | null;
  /** False if no roles limit it (SC4). */
  acts_for_member: boolean;
}

/** Returns what an access token allows in an organization; null for every other credential. */
export function grantOfToken(caller: Principal): GrantOfToken | null {
  const oauth = tokenGrantOf(caller);
  if (oauth === null || oauth.organization_id === null) return null;
  const scopes = [...oauth.scopes];
  return {
    organization_id: oauth.organization_id,
    permissions: scopes.flatMap((name) => permissionByScope(name)?.grant ?? []),
    capabilities: scopes.flatMap((name) => capabilityByScope(name) ?? []),
    team_ids: 'team_ids' in caller ? caller.team_ids : null,
    acts_for_member: !oauth.has_own_authority,
  };
}
