import type { PolicyMode } from '../../../policies/policy.ts';

export const FAMILIES = ['tool', 'resource', 'prompt', 'agent'] as const;
export type Family = (typeof FAMILIES)[number];
export const MODES = ['all', 'whitelist', 'blacklist'] as const;

/** The lists of each policy; unless the mode is `all`, the first one is sent even if it is empty. */
export const LISTS = {
  tool: ['tools', 'custom_tools'],
  resource: ['patterns'],
  prompt: ['prompts', 'platform_prompts'],
  agent: ['agents'],
} as const;
export type ListName = (typeof LISTS)[Family][number];

type Lists = { [Name in ListName]: string[] };
export type Policy = { mode: PolicyMode } & Partial<Lists>;
/** All fields, so that changing the mode loses none of the chosen items. */
export type PolicyFields = { mode: PolicyMode } & Lists;

export const fieldsOf = (policy: Policy): PolicyFields => ({
  mode: policy.mode,
  tools: policy.tools ?? [],
  custom_tools: policy.custom_tools ?? [],
  prompts: policy.prompts ?? [],
  platform_prompts: policy.platform_prompts ?? [],
  patterns: policy.patterns ?? [],
  agents: policy.agents ?? [],
});

/** Whether a list of chosen items has none yet, without which the service refuses the policy. */
export const isUnfinished = ({ mode, ...lists }: Policy): boolean =>
  mode !== 'all' && Object.values(lists).every((list) => list.length === 0);

/** Returns the policy that is sent: without lists in mode `all`, and without empty optional ones. */
export function policyOf(family: Family, fields: PolicyFields): Policy {
  if (fields.mode === 'all') return { mode: 'all' };
  const policy: Policy = { mode: fields.mode };
  for (const [index, list] of LISTS[family].entries()) {
    const entries = fields[list].map((entry) => entry.trim()).filter((entry) => entry !== '');
    if (index === 0 || entries.length > 0) policy[list] = entries;
  }
  return policy;
}
