import type { SpaceContents } from '../content/spaces/spaces.ts';
import type { TeamName } from '../policies/item-name.ts';
import type { Policies } from '../policies/item-policies.ts';

/** A space that a credential can access: its contents, their prefix, and which are visible. */
export interface Place {
  space_id: string;
  contents: SpaceContents;
  prefix: Prefix;
  /** Null if every item of the space is visible. */
  exposure: Exposure | null;
}

/**
 * The visible part of an organization's catalog: items designated organization-wide, and those that
 * the policies of an active team allow.
 */
export interface Exposure {
  designated: ReadonlySet<string>;
  teams: readonly Policies[];
}

/** Prefixes of the names and URIs of a place's items. */
export interface Prefix {
  tool: string;
  /** For prompts and agents. */
  name: string;
  uri: string;
}

type Named =
  | { kind: 'personal' }
  | { kind: 'member' }
  | { kind: 'organization' }
  | { kind: 'team'; name: TeamName };

/** Returns the prefix of a space; personal and catalog items have none in their names. */
export function prefixOf(space: Named): Prefix {
  if (space.kind === 'personal') return { tool: '', name: '', uri: 'toolgate://me/' };
  if (space.kind === 'organization') return { tool: '', name: '', uri: 'toolgate://org/' };
  if (space.kind === 'member') return { tool: 'me__', name: 'me/', uri: 'toolgate://me/' };
  const { name } = space;
  return { tool: `${name}__`, name: `${name}/`, uri: `toolgate://team/${name}/` };
}

/** Returns an item's MCP name. A resource keeps its path: only its URI is prefixed. */
export function qualifiedName(
  { tool, name }: Prefix,
  item: { family: 'tool' | 'prompt' | 'resource' | 'agent'; name: string },
): string {
  if (item.family === 'resource') return item.name;
  return (item.family === 'tool' ? tool : name) + item.name;
}
