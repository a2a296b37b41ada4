import { z } from 'zod';
import { isGlob, PATTERN_BYTES } from './glob.ts';
import { patternsOf } from './patterns.ts';
import { faultsOf, IdList, listsFitMode, Mode, passes, requireStored } from './policy.ts';
import type { PolicyFault } from './policy.ts';

/** Lists of the four policies; the first of each is required unless the mode is `all`. */
const lists = {
  tool: ['tools', 'custom_tools'],
  prompt: ['prompts', 'platform_prompts'],
  resource: ['patterns'],
  agent: ['agents'],
} as const;
export type ToolList = (typeof lists.tool)[number];
export type PromptList = (typeof lists.prompt)[number];

/** Built-in tools by id in `tools`, the space's custom tools in `custom_tools`. */
export const ToolPolicy = z
  .object({ mode: Mode, tools: IdList.optional(), custom_tools: IdList.optional() })
  .superRefine(listsFitMode(lists.tool));
export type ToolPolicy = z.infer<typeof ToolPolicy>;

/** The space's own prompts by id in `prompts`, built-in ones in `platform_prompts`. */
export const PromptPolicy = z
  .object({ mode: Mode, prompts: IdList.optional(), platform_prompts: IdList.optional() })
  .superRefine(listsFitMode(lists.prompt));
export type PromptPolicy = z.infer<typeof PromptPolicy>;

const MAX_PATTERNS = 256;

/** Normalized to NFC like the paths it is matched against; malformed unless it is a valid glob. */
const Pattern = z
  .string()
  .max(PATTERN_BYTES)
  .normalize('NFC')
  .refine(isGlob, { message: 'must be a valid glob pattern' });

/** Checks the length before the entries, so that a large body cannot cause one error per entry. */
const PatternList = z
  .array(z.unknown())
  .max(MAX_PATTERNS)
  .meta({ items: { type: 'string', maxLength: PATTERN_BYTES } })
  .pipe(z.array(Pattern));

/** Globs that match a resource's path, not its URI. */
export const ResourcePolicy = z
  .object({ mode: Mode, patterns: PatternList.optional() })
  .superRefine(listsFitMode(lists.resource));
export type ResourcePolicy = z.infer<typeof ResourcePolicy>;

/** The space's own agent definitions by id. */
export const AgentPolicy = z
  .object({ mode: Mode, agents: IdList.optional() })
  .superRefine(listsFitMode(lists.agent));
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

/** Returns whether the policy admits the item; capability and selection are checked separately. */
export const admitsTool = (policy: ToolPolicy, item: { list: ToolList; id: string }): boolean =>
  passes(policy.mode, () => policy[item.list]?.includes(item.id) === true);

export const admitsPrompt = (
  policy: PromptPolicy,
  item: { list: PromptList; id: string },
): boolean => passes(policy.mode, () => policy[item.list]?.includes(item.id) === true);

export const admitsAgent = (policy: AgentPolicy, id: string): boolean =>
  passes(policy.mode, () => policy.agents?.includes(id) === true);

export const admitsResource = (policy: ResourcePolicy, path: string): boolean =>
  passes(policy.mode, () => matchedPattern(policy, path) !== null);

/** Returns the first pattern that matches the path; null if none does. */
export const matchedPattern = (policy: ResourcePolicy, path: string): string | null =>
  policy.patterns === undefined ? null : patternsOf(policy.patterns).first(path);
