import type { AgentPrincipal } from '../../caller/principal.ts';
import type { View } from '../../visibility/visibility.ts';

/** Returns the text with which every agent starts: what it is connected to, and how to use it. */
export function baseContext(
  { capabilities }: Pick<View, 'capabilities'>,
  caller: Pick<AgentPrincipal, 'organization' | 'person' | 'tool_listing'>,
): string {
  const isSearching = caller.tool_listing === 'search' && capabilities.has('tools');
  const all = ['tools', 'prompts', 'resources', 'agents'] as const;
  const granted = all.filter((capability) => capabilities.has(capability));
  return [
    'You are connected to Toolgate, which provides exactly the tools, prompts and resources this',
    'credential may use.',
    granted.length > 0
      ? `This credential may use: ${granted.join(', ')}.`
      : 'This credential may use the system tools only.',
    ...(caller.organization === null ? [] : namesIn(caller)),
    ...(isSearching ? SEARCHING : LISTING),
    'If a tool you need is missing, tell the user:',
    caller.organization === null ? IN_ACCOUNT : IN_ORGANIZATION,
    'Do not ask for or repeat API keys.',
    'If your role is `assigned` or `selected`, load it with `agent_context`, passing its name and',
    'components. If it is `selection_available`, choose a suitable definition from the catalog and',
    'call `bootstrap` again with its name; a subagent told to choose (`self`) that finds none',
    'reports this to its parent and waits. If it is `assignment_unavailable`, tell the user that the',
    'agent assigned to this key is unavailable, and do not use another in its place.',
  ].join(' ');
}

const LISTING = ['Lists show exactly what you can call or read.'];
const SEARCHING = [
  'Lists show exactly what you can read; most tools are not listed. Find them with `search_tools`,',
  'which returns exactly those you can call, and call them with `run_tool`.',
];
const IN_ACCOUNT =
  'built-in tools are selected in the account’s MCP settings, and what a key may use is set on the ' +
  'key.';
const IN_ORGANIZATION =
  'built-in tools are selected in the organization’s MCP settings, its teams decide who gets them, ' +
  'and roles and the key decide whether tools may be used at all.';

/** Explains whose items the names in an organization stand for. */
const namesIn = ({ person }: Pick<AgentPrincipal, 'person'>): string[] => [
  'It acts in an organization: names that begin with the name of a team (`<team>__` or `<team>/`)',
  person === null
    ? 'are items of that team, all others those of the whole organization.'
    : 'are items of that team, with `me__` or `me/` those of the user alone, all others those of the' +
      ' whole organization.',
];
