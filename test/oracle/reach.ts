import { admits, lists } from './policies.ts';
import type { Family, OracleAgent, OracleCondition, OracleItem } from './world.ts';
import type { OracleKey, OracleWorld } from './world.ts';

/** Always available to an authenticated credential, regardless of its policies (C1, P12). */
export const systemTools: readonly string[] = ['setup', 'bootstrap', 'agent_context'];

/** The outcome of a well-formed request: `runs`, or the code of the refusal. */
export type OracleOutcome =
  | 'runs'
  | 'unauthenticated'
  | 'capability_denied'
  | 'method_not_found'
  | 'tool_not_permitted';

const isActive = (world: OracleWorld, key: OracleKey) =>
  !key.revoked && world.accounts[key.account]!.active;

/** Returns the teams in which a key is active: its person's seats, or the teams it is bound to. */
const activeTeams = ({ member, teams }: OracleKey) =>
  [...(member?.seats ?? [])]
    .filter(([team, held]) => (teams === null ? held !== null : teams.includes(team)))
    .map(([team]) => team);

/** Returns whether a key declares a capability and, in an organization, a role grants it (C3). */
function hasCapability(key: OracleKey, capability: string): boolean {
  const { member } = key;
  const seats = activeTeams(key).map((team) => member!.seats.get(team) ?? []);
  const granted = member === null ? [capability] : [member.capabilities, ...seats].flat();
  return key.capabilities.includes(capability) && granted.includes(capability);
}

/** Spaces that a key acts in; `name` is their part of MCP names, null in the personal space. */
const spacesOf = (world: OracleWorld, key: OracleKey) =>
  key.member === null
    ? [{ items: world.accounts[key.account]!, name: null, isFiltered: true }]
    : [
        { items: key.member.me, name: 'me', isFiltered: false },
        ...activeTeams(key).map((team) => ({ items: team, name: team.name, isFiltered: false })),
        { items: key.member.organization, name: 'org', isFiltered: true },
      ];

/** Returns an item's name in MCP; for a resource, its URI without `toolgate://`. */
function nameIn(space: string | null, family: Family, name: string): string {
  if (space === null) return name;
  if (family === 'resources') return `${space.replace(/^(?!me$|org$)/, 'team/')}/${name}`;
  if (space === 'org') return name;
  return family === 'tools' ? `${space}__${name}` : `${space}/${name}`;
}

/** Returns the built-in items that are selected (S8, P6). */
function selectedItems(world: OracleWorld, { member, account }: OracleKey, family: Family) {
  const { selected } = member?.organization ?? world.accounts[account]!;
  const all = { tools: world.builtIn, prompts: world.platformPrompts }[family as 'tools'] ?? [];
  return all.filter(({ id, deprecated }) => !deprecated && selected.has(id));
}

/**
 * Returns the items a credential reaches: selected built-in items and the items of its spaces. In
 * the personal space, the key's policies must admit an item. In an organization, the policy of an
 * active team must admit it, unless it is organization-wide or belongs to such a team or to `me/`.
 */
export function reached(world: OracleWorld, key: OracleKey, family: Family): OracleItem[] {
  if (!isActive(world, key) || !hasCapability(key, family)) return [];
  const { member, policies } = key;
  const filters = member === null ? [policies] : activeTeams(key).map((team) => team.policies);
  const isAdmitted = (list: string, { id, name }: OracleItem) =>
    member?.organization.organizationWide.has(id) === true ||
    filters.some((filter) => admits(filter[family], list, list === 'patterns' ? name : id));
  // For tools, the required list is that of built-in items; for prompts, that of the space's own.
  const [ownList = '', builtInList = ''] =
    family === 'tools' ? lists[family].toReversed() : lists[family];
  const own = spacesOf(world, key).flatMap(({ items, name, isFiltered }) =>
    items[family]
      .filter((item) => !isFiltered || isAdmitted(ownList, item))
      .map((item) => ({ ...item, name: nameIn(name, family, item.name) })),
  );
  const builtIn = selectedItems(world, key, family);
  return [...own, ...builtIn.filter((item) => isAdmitted(builtInList, item))];
}

/** Returns the sorted names of a family's list, or null if the credential is refused. */
export function listed(world: OracleWorld, key: OracleKey, family: Family): string[] | null {
  if (!isActive(world, key)) return null;
  const names = reached(world, key, family).map(({ name }) => name);
  return [...names, ...(family === 'tools' ? systemTools : [])].toSorted();
}

/**
 * Returns the outcome of calling `name`. Refusals are ordered as in decisions.md 5: system tools
 * pass (`agent_context` needs Agents, B1), then a missing capability, whatever the name; then an
 * unknown name; then selection and policy.
 */
export function outcomeOfCall(world: OracleWorld, key: OracleKey, name: string): OracleOutcome {
  if (!isActive(world, key)) return 'unauthenticated';
  if (name === 'agent_context' && !hasCapability(key, 'agents')) return 'capability_denied';
  if (systemTools.includes(name)) return 'runs';
  if (!hasCapability(key, 'tools')) return 'capability_denied';
  const current = world.builtIn.filter(({ deprecated }) => !deprecated);
  const own = spacesOf(world, key).flatMap(({ items, name: space }) =>
    items.tools.map((tool) => nameIn(space, 'tools', tool.name)),
  );
  if (![...own, ...current.map((tool) => tool.name)].includes(name)) return 'method_not_found';
  const isReached = reached(world, key, 'tools').some((tool) => tool.name === name);
  return isReached ? 'runs' : 'tool_not_permitted';
}

/**
 * Returns the outcome of reading a prompt or resource; an item that is not reached counts as absent
 * (decisions 9).
 */
export function outcomeOfRead(
  world: OracleWorld,
  key: OracleKey,
  family: 'prompts' | 'resources',
  name: string,
): OracleOutcome {
  if (!isActive(world, key)) return 'unauthenticated';
  const isReached = reached(world, key, family).some((item) => item.name === name);
  return isReached ? 'runs' : 'method_not_found';
}

export interface Bootstrap {
  primary_agent: boolean;
  agent_selection?: 'named' | 'self' | 'none';
  agent_name?: string;
  request_agent_catalog?: boolean;
}

/** Returns the names of an agent's components that apply to a credential, in definition order. */
export function applying(world: OracleWorld, key: OracleKey, agent: OracleAgent): string[] {
  const applies = (when: OracleCondition): boolean => {
    if (when === null) return true;
    const [[kind, expected]] = Object.entries(when) as [[string, string]];
    if (kind === 'capability') return hasCapability(key, expected);
    const items = reached(world, key, `${kind}s` as Family);
    return items.some(({ id, name }) => expected === (kind === 'resource' ? name : id));
  };
  return agent.components.filter(({ when }) => applies(when)).map(({ name }) => name);
}

/** Returns what `bootstrap` reports about the agent and the catalog (Bootstrap behaviour 1–5). */
export function introduction(world: OracleWorld, key: OracleKey, request: Bootstrap) {
  if (!isActive(world, key)) return 'unauthenticated';
  const isNamed = request.agent_name !== undefined;
  if (!hasCapability(key, 'agents'))
    return isNamed
      ? 'capability_denied'
      : { agent: { status: 'disabled' }, catalog: { status: 'disabled' } };
  const agents = reached(world, key, 'agents') as OracleAgent[];
  const withComponents = (status: string, agent: OracleAgent) => {
    return { status, name: agent.name, components: applying(world, key, agent) };
  };
  const named = agents.find(({ name }) => name === request.agent_name);
  if (isNamed && named === undefined) return 'method_not_found';
  const assigned = agents.find(({ id }) => id === key.defaultAgent);
  const isOpen = request.primary_agent
    ? key.defaultAgent === null
    : request.agent_selection === 'self';
  const agent = () => {
    if (named !== undefined) return withComponents('selected', named);
    if (isOpen) return { status: 'selection_available' };
    // Subagents never inherit the assignment (K2).
    if (!request.primary_agent) return { status: 'none' };
    if (assigned === undefined) return { status: 'assignment_unavailable' };
    return withComponents('assigned', assigned);
  };
  const isShown = request.request_agent_catalog === true || (isOpen && !isNamed);
  const names = agents.map(({ name }) => name).toSorted();
  return {
    agent: agent(),
    catalog: isShown ? { status: 'available', agents: names } : { status: 'not_requested' },
  };
}

/**
 * Returns the components that apply, for `agent_context`; an unknown agent and outdated components
 * get the same refusal (B7).
 */
export function contextOf(
  world: OracleWorld,
  key: OracleKey,
  name: string,
  components: readonly string[],
): readonly string[] | 'agent_context_unavailable' | OracleOutcome {
  const outcome = outcomeOfCall(world, key, 'agent_context');
  if (outcome !== 'runs') return outcome;
  const agent = (reached(world, key, 'agents') as OracleAgent[]).find((one) => one.name === name);
  if (agent === undefined) return 'agent_context_unavailable';
  const now = applying(world, key, agent);
  const isSame = now.toSorted().join() === components.toSorted().join();
  return isSame ? now : 'agent_context_unavailable';
}
