import { z } from 'zod';
import {
  duplicates,
  emptyLists,
  IdList,
  listsFitMode,
  Mode,
  passes,
  unknownItems,
} from './policy.ts';
import type { PolicyFault } from './policy.ts';

const lists = ['tools', 'custom_tools'] as const;
export type ToolList = (typeof lists)[number];

/** Built-in tools by id in `tools`, own custom tools in `custom_tools`. */
export const ToolPolicy = z
  .object({ mode: Mode, tools: IdList.optional(), custom_tools: IdList.optional() })
  .superRefine(listsFitMode('tools', lists));
export type ToolPolicy = z.infer<typeof ToolPolicy>;

/** A policy as it was saved, which was checked then: reading costs a call no second check. */
export function storedToolPolicy(stored: unknown): ToolPolicy {
  const policy = (stored ?? {}) as Partial<ToolPolicy>;
  const isRestricted = policy.mode === 'whitelist' || policy.mode === 'blacklist';
  const hasLists = Array.isArray(policy.tools) && Array.isArray(policy.custom_tools ?? []);
  if (policy.mode === 'all' || (isRestricted && hasLists)) return policy as ToolPolicy;
  throw new TypeError('A stored tool policy is not in shape.');
}

/** The 422 of a well-shaped tool policy; none is a policy that may be saved. */
export function toolPolicyFaults(
  policy: ToolPolicy,
  isKnown: (list: ToolList, id: string) => boolean,
): PolicyFault[] {
  return [
    ...emptyLists(policy, lists),
    ...duplicates(policy, lists),
    ...unknownItems(policy, lists, isKnown),
  ];
}

/** Whether the policy lets this tool through; capability and selection are asked beside it. */
export function admitsTool(policy: ToolPolicy, item: { list: ToolList; id: string }): boolean {
  return passes(policy.mode, () => policy[item.list]?.includes(item.id) === true);
}
