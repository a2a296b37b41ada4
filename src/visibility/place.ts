import type { SpaceContents } from '../content/spaces/spaces.ts';
import type { AgentPolicy } from '../policies/agent-policy.ts';
import type { PromptPolicy } from '../policies/prompt-policy.ts';
import type { ResourcePolicy } from '../policies/resource-policy.ts';
import type { ToolPolicy } from '../policies/tool-policy.ts';

/** The four item policies of a key or a team. */
export interface Policies {
  tool: ToolPolicy;
  prompt: PromptPolicy;
  resource: ResourcePolicy;
  agent: AgentPolicy;
}

/** A space a credential reaches: its contents, how they are named, and which are visible. */
export interface Place {
  space_id: string;
  contents: SpaceContents;
  prefix: Prefix;
  /** Null: every item of the space is visible. */
  exposure: Exposure | null;
}

/**
 * Makes the items of an organization's catalog visible: those designated organization-wide, and
 * those admitted by the policies of an active team.
 */
export interface Exposure {
  designated: ReadonlySet<string>;
  teams: readonly Policies[];
}

/** What qualifies the names and URIs of a place's items. */
export interface Prefix {
  tool: string;
  /** Of prompts and agents. */
  name: string;
  uri: string;
}

type Named =
  | { kind: 'personal' }
  | { kind: 'member' }
  | { kind: 'organization' }
  | { kind: 'team'; name: string };

/** Returns the prefix of a space: personal items and those of the catalog keep their bare names. */
export function prefixOf(space: Named): Prefix {
  if (space.kind === 'personal') return { tool: '', name: '', uri: 'toolgate://me/' };
  if (space.kind === 'organization') return { tool: '', name: '', uri: 'toolgate://org/' };
  if (space.kind === 'member') return { tool: 'me__', name: 'me/', uri: 'toolgate://me/' };
  const { name } = space;
  return { tool: `${name}__`, name: `${name}/`, uri: `toolgate://team/${name}/` };
}

/** Returns an item's name over MCP; a resource keeps its path, which its URI qualifies. */
export function qualifiedName(
  { tool, name }: Prefix,
  item: { family: 'tool' | 'prompt' | 'resource' | 'agent'; name: string },
): string {
  if (item.family === 'resource') return item.name;
  return (item.family === 'tool' ? tool : name) + item.name;
}
