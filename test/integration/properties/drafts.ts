import type {
  OracleAccount,
  OracleAgent,
  OracleCondition,
  OracleKey,
  OraclePolicy,
} from '../../oracle/world.ts';
import { ITEM_FAMILIES } from '../../support/worlds/worlds.ts';
import type {
  ConditionPlan,
  ItemFamily,
  KeyPlan,
  PolicyPlan,
} from '../../support/worlds/worlds.ts';

/** The items of a space of the oracle while its world is being built; writable. */
export type DraftItems = { [Part in ItemFamily]: OracleAgent[] };

/**
 * Returns a plan's condition; one on a missing item is left out. `root` is the part of a resource's
 * name in front of its path, which the API leaves out.
 */
export function conditionIn(items: DraftItems, plan: ConditionPlan, root = ''): OracleCondition {
  if (plan === null || 'capability' in plan) return plan;
  if ('builtIn' in plan) return { tool: plan.builtIn };
  const item = findItem(items, plan.family, plan.name);
  if (item === undefined) return null;
  if (plan.family === 'resources') return { resource: `${root}${item.name}` };
  if (plan.family === 'tools') return { tool: item.id };
  return plan.family === 'prompts' ? { prompt: item.id } : { agent: item.id };
}

/** An account of the oracle while its world is being built; writable. */
export type DraftAccount = {
  -readonly [Part in keyof OracleAccount]: OracleAccount[Part];
} & DraftItems;

/** API fields of each family's policy: the policy, its own items and its built-in items. */
const POLICY_FIELDS: Readonly<
  Record<ItemFamily, { field: string; own: string; builtIns?: string }>
> = {
  tools: { field: 'tool_policy', own: 'custom_tools', builtIns: 'tools' },
  prompts: { field: 'prompt_policy', own: 'prompts', builtIns: 'platform_prompts' },
  resources: { field: 'resource_policy', own: 'patterns' },
  agents: { field: 'agent_policy', own: 'agents' },
};

export const findItem = (account: DraftItems, family: ItemFamily, name: string | null) =>
  account[family].find((item) => item.name === name);

/**
 * Resolves a planned policy's names to existing ids; a policy with nothing to list becomes `all`.
 */
export function policyOf(account: DraftItems, family: ItemFamily, plan: PolicyPlan): OraclePolicy {
  const own =
    family === 'resources'
      ? plan.own
      : plan.own.flatMap((name) => findItem(account, family, name)?.id ?? []);
  const { own: ownList, builtIns: builtInList } = POLICY_FIELDS[family];
  const required = family === 'tools' ? plan.builtIns : own;
  const isEmpty = required.length === 0 && (family !== 'prompts' || plan.builtIns.length === 0);
  if (plan.mode === 'all' || isEmpty) return { mode: 'all' };
  const isOwnSent = own.length > 0 || family !== 'tools';
  const areBuiltInsSent = builtInList !== undefined && plan.builtIns.length > 0;
  return {
    mode: plan.mode,
    ...(isOwnSent ? { [ownList]: own } : {}),
    ...(areBuiltInsSent ? { [builtInList]: plan.builtIns } : {}),
  };
}

/** Applies the plan to a key of the oracle; omitted fields stay as before. */
export function draftOf(
  account: DraftAccount,
  plan: Partial<KeyPlan>,
  before: OracleKey,
): OracleKey {
  const planned = (Object.keys(plan.policies ?? {}) as ItemFamily[]).map((family) => [
    family,
    policyOf(account, family, plan.policies![family]!),
  ]);
  return {
    ...before,
    ...('capabilities' in plan ? { capabilities: plan.capabilities } : {}),
    ...('permissions' in plan ? { permissions: plan.permissions } : {}),
    ...('defaultAgent' in plan
      ? { defaultAgent: findItem(account, 'agents', plan.defaultAgent)?.id ?? null }
      : {}),
    policies: { ...before.policies, ...Object.fromEntries(planned) },
  };
}

/** Returns the request body with the fields the plan names. */
export function bodyOf(key: OracleKey, plan: Partial<KeyPlan>): Record<string, unknown> {
  const { permissions } = key;
  const personal = { scope: { type: 'personal' }, permissions };
  const policies = ITEM_FAMILIES.filter((family) => plan.policies?.[family] !== undefined);
  return {
    ...('capabilities' in plan ? { mcp_capabilities: key.capabilities } : {}),
    ...('permissions' in plan ? { grants: permissions === null ? [] : [personal] } : {}),
    ...('defaultAgent' in plan ? { default_agent_id: key.defaultAgent } : {}),
    ...Object.fromEntries(
      policies.map((family) => [POLICY_FIELDS[family].field, key.policies[family]]),
    ),
  };
}
