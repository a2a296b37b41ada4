import { admits, lists } from './policies.ts';
import type { Family, OracleAgent, OracleCondition, OracleItem } from './world.ts';
import type { OracleKey, OracleWorld } from './world.ts';

/** Always available to an authenticated credential, regardless of its policies (C1, P12). */
export const systemTools: readonly string[] = ['setup', 'bootstrap', 'agent_context'];

/** Outcome of a well-formed request: it runs, or the code of the refusal. */
export type OracleOutcome =
  | 'runs'
  | 'unauthenticated'
  | 'capability_denied'
  | 'method_not_found'
  | 'tool_not_permitted';

const isActive = (world: OracleWorld, key: OracleKey) =>
  !key.revoked && world.accounts[key.account]!.active;

/** Returns the built-in items the account has selected (S8, P6). */
const selectedItems = (world: OracleWorld, key: OracleKey, all: OracleWorld['builtIn']) =>
  all.filter(({ id, deprecated }) => !deprecated && world.accounts[key.account]!.selected.has(id));

/**
 * Returns the items a credential reaches: the account's own and selected ones that the key admits.
 */
export function reached(world: OracleWorld, key: OracleKey, family: Family): OracleItem[] {
  if (!isActive(world, key) || !key.capabilities.includes(family)) return [];
  const policy = key.policies[family];
  const own = world.accounts[key.account]![family];
  const admitted = (items: readonly OracleItem[], list: string) =>
    items.filter(({ id, name }) => admits(policy, list, list === 'patterns' ? name : id));
  const builtIn = {
    tools: world.builtIn,
    prompts: world.platformPrompts,
    resources: [],
    agents: [],
  };
  // For tools the required list is the built-in one, for prompts the own one.
  const [ownList = '', builtInList = ''] =
    family === 'tools' ? lists[family].toReversed() : lists[family];
  return [
    ...admitted(own, ownList),
    ...admitted(selectedItems(world, key, builtIn[family]), builtInList),
  ];
}

/** Returns the sorted names of a family's list, or null if the credential is refused. */
export function listed(world: OracleWorld, key: OracleKey, family: Family): string[] | null {
  if (!isActive(world, key)) return null;
  const names = reached(world, key, family).map(({ name }) => name);
  return [...names, ...(family === 'tools' ? systemTools : [])].toSorted();
}

/**
 * Returns the outcome of calling `name`. Refusals are ordered as in decisions.md 5: system tools
 * pass (`agent_context` needs Agents, B1), then capability regardless of the name, then absence, then
 * selection and policy.
 */
export function outcomeOfCall(world: OracleWorld, key: OracleKey, name: string): OracleOutcome {
  if (!isActive(world, key)) return 'unauthenticated';
  if (name === 'agent_context' && !key.capabilities.includes('agents')) return 'capability_denied';
  if (systemTools.includes(name)) return 'runs';
  if (!key.capabilities.includes('tools')) return 'capability_denied';
  const current = world.builtIn.filter(({ deprecated }) => !deprecated);
  const present = [...current, ...world.accounts[key.account]!.tools];
  if (!present.some((tool) => tool.name === name)) return 'method_not_found';
  const isReached = reached(world, key, 'tools').some((tool) => tool.name === name);
  return isReached ? 'runs' : 'tool_not_permitted';
}

/**
 * Returns the outcome of reading a prompt or resource; one not reached counts as absent (decisions
 * 9).
 */
export function outcomeOfRead(
  world: OracleWorld,
  key: OracleKey,
  family: 'prompts' | 'resources',
  name: string,
): OracleOutcome {
  if (!isActive(world, key)) return 'unauthenticated';
  return reached(world, key, family).some((item) => item.name === name)
    ? 'runs'
    : 'method_not_found';
}

/** Returns the error code of an absent item: resources differ in version 2026 (decisions 5). */
export const absentCode = (era: '2025' | '2026', method: string): number =>
  era === '2026' && method === 'resources/read' ? -32602 : -32601;

export interface Bootstrap {
  primary_agent: boolean;
  agent_selection?: 'named' | 'self' | 'none';
  agent_name?: string;
  request_agent_catalog?: boolean;
}

interface Introduction {
  agent: { status: string; name?: string; components?: string[] };
  catalog: { status: string; agents?: string[] };
}

/** Returns the names of an agent's components that apply to a credential, in definition order. */
export function applying(world: OracleWorld, key: OracleKey, agent: OracleAgent): string[] {
  const holds = (when: OracleCondition): boolean => {
    if (when === null) return true;
    if ('capability' in when) return key.capabilities.includes(when.capability);
    const [[kind, expected]] = Object.entries(when) as [[string, string]];
    const items = reached(world, key, `${kind}s` as Family);
    return items.some(({ id, name }) => expected === (kind === 'resource' ? name : id));
  };
  return agent.components.filter(({ when }) => holds(when)).map(({ name }) => name);
}

/** Returns what `bootstrap` reports of the agent and the catalog (Bootstrap behaviour 1–5). */
export function introduction(
  world: OracleWorld,
  key: OracleKey,
  request: Bootstrap,
): Introduction | OracleOutcome {
  if (!isActive(world, key)) return 'unauthenticated';
  const isNamed = request.agent_name !== undefined;
  if (!key.capabilities.includes('agents'))
    return isNamed
      ? 'capability_denied'
      : { agent: { status: 'disabled' }, catalog: { status: 'disabled' } };
  const agents = reached(world, key, 'agents') as OracleAgent[];
  const given = (status: string, agent: OracleAgent) => {
    return { status, name: agent.name, components: applying(world, key, agent) };
  };
  const named = agents.find(({ name }) => name === request.agent_name);
  if (isNamed && named === undefined) return 'method_not_found';
  const assigned = agents.find(({ id }) => id === key.defaultAgent);
  const isOpen = request.primary_agent
    ? key.defaultAgent === null
    : request.agent_selection === 'self';
  const agent = () => {
    if (named !== undefined) return given('selected', named);
    if (isOpen) return { status: 'selection_available' };
    // Subagents never inherit the assignment (K2).
    if (!request.primary_agent) return { status: 'none' };
    if (assigned === undefined) return { status: 'assignment_unavailable' };
    return given('assigned', assigned);
  };
  const isShown = request.request_agent_catalog === true || (isOpen && !isNamed);
  const names = agents.map(({ name }) => name).toSorted();
  return {
    agent: agent(),
    catalog: isShown ? { status: 'available', agents: names } : { status: 'not_requested' },
  };
}

/** Returns the applying components for `agent_context`, or one uniform refusal (B7). */
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
