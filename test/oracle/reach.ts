// What the personal lane promises, read off the specification a second time: nothing of src/ is
// imported here, so that the service and its oracle can only agree by both being right.

export interface OracleTool {
  id: string;
  name: string;
  deprecated: boolean;
}

export type OraclePolicy =
  | { mode: 'all' }
  | { mode: 'whitelist' | 'blacklist'; tools: readonly string[] };

export interface OracleAccount {
  active: boolean;
  /** Ids of built-in tools; none at first (S8). */
  selected: ReadonlySet<string>;
}

export interface OracleKey {
  account: number;
  revoked: boolean;
  capabilities: readonly string[];
  policy: OraclePolicy;
}

export interface OracleWorld {
  catalogue: readonly OracleTool[];
  accounts: readonly OracleAccount[];
}

/** What comes of a well-formed call: it runs, or the refusal's code. */
export type OracleOutcome =
  | 'runs'
  | 'unauthenticated'
  | 'capability_denied'
  | 'method_not_found'
  | 'tool_not_permitted';

/** Always available to an authenticated credential; no policy touches them (C1, P12). */
export const systemTools: readonly string[] = ['setup', 'bootstrap', 'agent_context'];

const stands = (world: OracleWorld, key: OracleKey) =>
  !key.revoked && world.accounts[key.account]!.active;

const policyAdmits = (policy: OraclePolicy, id: string): boolean =>
  policy.mode === 'all' || policy.tools.includes(id) === (policy.mode === 'whitelist');

/** Names in `tools/list`, sorted; null: the credential is refused. */
export function listedTools(world: OracleWorld, key: OracleKey): string[] | null {
  if (!stands(world, key)) return null;
  if (!key.capabilities.includes('tools')) return systemTools.toSorted();
  const { selected } = world.accounts[key.account]!;
  const reached = world.catalogue
    .filter((tool) => !tool.deprecated)
    .filter((tool) => selected.has(tool.id))
    .filter((tool) => policyAdmits(key.policy, tool.id))
    .map((tool) => tool.name);
  return [...systemTools, ...reached].toSorted();
}

/**
 * What a call of `name` comes to. The order of refusals is that of decisions.md 5: the system
 * tools pass (what `agent_context` gives needs Agents, B1), then the capability whatever the name,
 * then absence, then selection and policy.
 */
export function outcomeOfCall(world: OracleWorld, key: OracleKey, name: string): OracleOutcome {
  if (!stands(world, key)) return 'unauthenticated';
  if (name === 'agent_context' && !key.capabilities.includes('agents')) return 'capability_denied';
  if (systemTools.includes(name)) return 'runs';
  if (!key.capabilities.includes('tools')) return 'capability_denied';
  const tool = world.catalogue.find((one) => one.name === name);
  if (tool === undefined || tool.deprecated) return 'method_not_found';
  const isSelected = world.accounts[key.account]!.selected.has(tool.id);
  return isSelected && policyAdmits(key.policy, tool.id) ? 'runs' : 'tool_not_permitted';
}
