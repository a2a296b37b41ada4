import { prefixOf } from '../content/content.ts';
import type { Prefix, SpaceContents } from '../content/content.ts';
import type { TeamName } from '../policies/item-name.ts';
import type { Policies } from '../policies/item-policies.ts';

/** A space that a credential can access: its contents, their prefix, and which of them it sees. */
export interface Place {
  space_id: string;
  contents: SpaceContents;
  prefix: Prefix;
  /** Null if every item of the space is visible. */
  exposure: Exposure | null;
}

/** A team, with the policies for what it exposes of its organization's catalog. */
export interface ExposingTeam {
  id: string;
  name: TeamName;
  policies: Policies;
}

/**
 * The visible part of an organization's catalog: items designated organization-wide, and those that
 * the policies of an active team allow.
 */
export interface Exposure {
  designated: ReadonlySet<string>;
  teams: readonly ExposingTeam[];
}

const EMPTY: SpaceContents = {
  selected_tools: new Set(),
  selected_prompts: new Set(),
  items: [],
  quarantined: new Set(),
};

const EMPTY_PLACE: Place = {
  space_id: 'nowhere',
  contents: EMPTY,
  prefix: prefixOf({ kind: 'organization' }),
  exposure: { designated: new Set(), teams: [] },
};

/** What a principal sees of an organization that it no longer belongs to. */
export const emptyView = {
  connected: false,
  capabilities: new Set<never>(),
  permissions: new Set<never>(),
  places: [EMPTY_PLACE] as const satisfies readonly Place[],
};
