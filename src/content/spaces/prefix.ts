import type { TeamName } from '../../policies/item-name.ts';
import { resourceUri } from '../../policies/resource-path.ts';
import type { Family } from '../items/schema.ts';

/** Prefixes of the names and URIs of a space's items. */
export interface Prefix {
  tool: string;
  /** For prompts and agents. */
  name: string;
  uri: string;
}

/** The fields of a space that determine the names of its items. */
export type NamedSpace =
  | { kind: 'personal' }
  | { kind: 'member' }
  | { kind: 'organization' }
  | { kind: 'team'; name: TeamName };

/** Returns the prefix of a space; personal and catalog items have none in their names. */
export function prefixOf(space: NamedSpace): Prefix {
  if (space.kind === 'personal') return { tool: '', name: '', uri: 'toolgate://me/' };
  if (space.kind === 'organization') return { tool: '', name: '', uri: 'toolgate://org/' };
  if (space.kind === 'member') return { tool: 'me__', name: 'me/', uri: 'toolgate://me/' };
  const { name } = space;
  return { tool: `${name}__`, name: `${name}/`, uri: `toolgate://team/${name}/` };
}

/** Returns an item's MCP name. A resource keeps its path: only its URI is prefixed. */
export function qualifiedName(
  { tool, name }: Prefix,
  item: { family: Family; name: string },
): string {
  if (item.family === 'resource') return item.name;
  return (item.family === 'tool' ? tool : name) + item.name;
}

/** Returns the address of an item over MCP: its name, or the URI of a resource. */
export const addressOf = (prefix: Prefix, item: { family: Family; name: string }): string =>
  item.family === 'resource' ? resourceUri(prefix.uri, item.name) : qualifiedName(prefix, item);
