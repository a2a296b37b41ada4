import { z } from 'zod';
import {
  duplicates,
  emptyLists,
  IdList,
  listsFitMode,
  Mode,
  passes,
  requireStored,
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

export const storedToolPolicy = (stored: unknown) => requireStored(stored, lists) as ToolPolicy;

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
