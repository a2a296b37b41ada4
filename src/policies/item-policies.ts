import { z } from 'zod';
import { boundedList } from '../platform/json/bounded-list.ts';
import { isGlob, PATTERN_BYTES } from './glob.ts';
import { patternsOf } from './patterns.ts';
import {
  faultsOf,
  hasId,
  IdList,
  listsFitMode,
  Mode,
  isAdmitted,
  requireStored,
} from './policy.ts';
import type { PolicyFault } from './policy.ts';
import { toNfc } from '../platform/text/nfc.ts';

/** Lists of the four policies; the first list of each is required unless the mode is `all`. */
const lists = {
  tool: ['tools', 'custom_tools'],
  prompt: ['prompts', 'platform_prompts'],
  resource: ['patterns'],
  agent: ['agents'],
} as const;
export type ToolList = (typeof lists.tool)[number];
export type PromptList = (typeof lists.prompt)[number];

/** Describes the lists of a tool policy besides what its mode says. */
const TOOL_LISTS =
  'Unless the mode is `all`, `tools` (built-in ones) is required; `custom_tools` defaults to none. Neither may be empty.';

/** Ids of built-in tools in `tools`, of the space's custom tools in `custom_tools`. */
export const ToolPolicy = z
  .object({ mode: Mode, tools: IdList.optional(), custom_tools: IdList.optional() })
  .superRefine(listsFitMode(lists.tool))
  .meta({ id: 'ToolPolicy', description: TOOL_LISTS });
export type ToolPolicy = z.infer<typeof ToolPolicy>;

/** Describes the lists of a prompt policy besides what its mode says. */
const PROMPT_LISTS =
  'Unless the mode is `all`, `prompts` is required; `platform_prompts` (built-in ones) defaults to none. `prompts` may be `[]` if the other is not.';

/** Ids of the space's own prompts in `prompts`, of built-in prompts in `platform_prompts`. */
export const PromptPolicy = z
  .object({ mode: Mode, prompts: IdList.optional(), platform_prompts: IdList.optional() })
  .superRefine(listsFitMode(lists.prompt))
  .meta({ id: 'PromptPolicy', description: PROMPT_LISTS });
export type PromptPolicy = z.infer<typeof PromptPolicy>;

const MAX_PATTERNS = 256;

/** Normalized to NFC like the paths it is matched against; malformed unless it is a valid glob. */
const Pattern = z
  .string()
  .max(PATTERN_BYTES)
  .overwrite(toNfc)
  .refine(isGlob, { message: 'must be a valid glob pattern' });

const PatternList = boundedList(Pattern, MAX_PATTERNS);

/** Describes the list of a resource policy besides what its mode says. */
const RESOURCE_LIST = 'Unless the mode is `all`, `patterns` is required.';

/** Globs that match a resource's path, not its URI. */
export const ResourcePolicy = z
  .object({ mode: Mode, patterns: PatternList.optional() })
  .superRefine(listsFitMode(lists.resource))
  .meta({ id: 'ResourcePolicy', description: RESOURCE_LIST });
export type ResourcePolicy = z.infer<typeof ResourcePolicy>;

/** Describes the list of an agent policy besides what its mode says. */
const AGENT_LIST = 'Unless the mode is `all`, `agents` is required.';

/** Ids of the space's own agent definitions. */
export const AgentPolicy = z
  .object({ mode: Mode, agents: IdList.optional() })
  .superRefine(listsFitMode(lists.agent))
  .meta({ id: 'AgentPolicy', description: AGENT_LIST });
export type AgentPolicy = z.infer<typeof AgentPolicy>;

/** The four item policies of a key or a team. */
export interface Policies {
  tool: ToolPolicy;
  prompt: PromptPolicy;
  resource: ResourcePolicy;
  agent: AgentPolicy;
}

/** The four policies as stored in a row. */
export interface StoredPolicies {
  tool_policy: unknown;
  prompt_policy: unknown;
  resource_policy: unknown;
  agent_policy: unknown;
}

export const policiesOf = (stored: StoredPolicies): Policies => ({
  tool: requireStored(stored.tool_policy, lists.tool) as ToolPolicy,
  prompt: requireStored(stored.prompt_policy, lists.prompt) as PromptPolicy,
  resource: requireStored(stored.resource_policy, lists.resource) as ResourcePolicy,
  agent: requireStored(stored.agent_policy, lists.agent) as AgentPolicy,
});

/** Returns the problems of a well-formed policy for a 422; if there are none, it may be saved. */
export const toolPolicyFaults = (
  policy: ToolPolicy,
  isKnown: (list: ToolList, id: string) => boolean,
): PolicyFault[] => faultsOf(policy, lists.tool, { isKnown });

/** The only list that may be empty is `prompts`, and only if `platform_prompts` is not. */
export const promptPolicyFaults = (
  policy: PromptPolicy,
  isKnown: (list: PromptList, id: string) => boolean,
): PolicyFault[] =>
  faultsOf(policy, lists.prompt, {
    isKnown,
    mayBeEmpty: (policy.platform_prompts?.length ?? 0) > 0,
  });

export const resourcePolicyFaults = (policy: ResourcePolicy): PolicyFault[] =>
  faultsOf(policy, lists.resource, { isKnown: () => true });

export const agentPolicyFaults = (
  policy: AgentPolicy,
  isKnown: (id: string) => boolean,
): PolicyFault[] => faultsOf(policy, lists.agent, { isKnown: (_list, id) => isKnown(id) });

/** The items that policies may name; all others are unknown. */
export interface PolicyItems {
  isTool(list: ToolList, id: string): boolean;
  isPrompt(list: PromptList, id: string): boolean;
  isAgent(id: string): boolean;
}

/**
 * Returns the problems of policies that are sent, by family. One that equals the stored one has
 * none: an item that it names may have been removed since.
 */
export function faultsOfPolicies(
  sent: { [Family in keyof Policies]?: Policies[Family] | undefined },
  stored: Policies | null,
  items: PolicyItems,
): (PolicyFault & { family: keyof Policies })[] {
  const faults = <Family extends keyof Policies>(
    family: Family,
    find: (policy: Policies[Family]) => PolicyFault[],
  ) => {
    const policy: Policies[Family] | undefined = sent[family];
    // Both were parsed by one schema, so their fields are in the same order.
    const isSame = JSON.stringify(policy) === JSON.stringify(stored?.[family]);
    return policy === undefined || isSame ? [] : find(policy).map((one) => ({ ...one, family }));
  };
  return [
    ...faults('tool', (policy) => toolPolicyFaults(policy, items.isTool)),
    ...faults('resource', resourcePolicyFaults),
    ...faults('prompt', (policy) => promptPolicyFaults(policy, items.isPrompt)),
    ...faults('agent', (policy) => agentPolicyFaults(policy, items.isAgent)),
  ];
}

/** Returns whether the policy admits the item; capability and selection are checked separately. */
export const admitsTool = (policy: ToolPolicy, item: { list: ToolList; id: string }): boolean =>
  isAdmitted(policy.mode, () => hasId(policy[item.list], item.id));

export const admitsPrompt = (
  policy: PromptPolicy,
  item: { list: PromptList; id: string },
): boolean => isAdmitted(policy.mode, () => hasId(policy[item.list], item.id));

export const admitsAgent = (policy: AgentPolicy, id: string): boolean =>
  isAdmitted(policy.mode, () => hasId(policy.agents, id));

export const admitsResource = (policy: ResourcePolicy, path: string): boolean =>
  isAdmitted(policy.mode, () => matchedPattern(policy, path) !== null);

/** Returns the first pattern that matches the path; null if none does. */
export const matchedPattern = (policy: ResourcePolicy, path: string): string | null =>
  policy.patterns === undefined ? null : patternsOf(policy.patterns).first(path);
