import type { Capability } from '../authz/permissions.ts';
import type { Principal } from '../caller/principal.ts';
import { policiesOf } from '../policies/item-policies.ts';
import type { StoredPolicies } from '../policies/item-policies.ts';
import type { View } from './decide.ts';
import { grantedPermissions, grantedInTeams, permissionsNeededBy } from './held-permissions.ts';
import type { DraftPlace } from './organization.ts';
import type { ToolItem } from './item.ts';
import type { createPlaces } from './places.ts';

/** The configurable part of a personal key's access; policies are in their stored shape. */
export interface Configuration extends StoredPolicies {
  mcp_capabilities: readonly Capability[];
  grants?: readonly { scope: { type: string }; permissions: readonly string[] }[];
}

/** Views of credentials that do not exist yet. */
export interface Drafts {
  /** Returns a function that builds the view of a key that the caller has yet to create (K2). */
  drafts(caller: Principal): Promise<(configuration: Configuration) => View>;
  /** Returns such a function for a credential in an organization (K2). */
  draftsIn(place: DraftPlace): Promise<(configuration: Configuration) => View>;
}

export interface DraftsDependencies {
  places: ReturnType<typeof createPlaces>;
  /** The management tools that need something beyond the Tools capability, selected or not. */
  guarded: readonly ToolItem[];
  grantableBy(person: Principal): Promise<ReadonlySet<string>>;
}

/** Creates the views of drafts, with the rules for stored credentials. */
export const createDrafts = ({ places, guarded, grantableBy }: DraftsDependencies): Drafts => ({
  async drafts(caller) {
    const own = await places.personal(caller);
    const grantable = await grantableBy(caller);
    return (configuration) => ({
      connected: true,
      // In a personal account, no role limits the capabilities.
      capabilities: new Set(configuration.mcp_capabilities),
      permissions: grantedPermissions(configuration).intersection(grantable),
      places: own,
      policies: policiesOf(configuration),
    });
  },
  async draftsIn(place) {
    const all = await places.draft(place);
    const needed = new Set(permissionsNeededBy(guarded));
    return (configuration) => ({
      connected: true,
      capabilities: new Set(configuration.mcp_capabilities),
      // A person's credential may always write to the person's own space in the organization.
      permissions: place.person === null ? grantedInTeams(configuration, all, needed) : needed,
      places: all,
      policies: policiesOf(configuration),
    });
  },
});
