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

const lists = ['prompts', 'platform_prompts'] as const;
export type PromptList = (typeof lists)[number];

/** Own prompts by id in `prompts`, those of the platform in `platform_prompts`. */
export const PromptPolicy = z
  .object({ mode: Mode, prompts: IdList.optional(), platform_prompts: IdList.optional() })
  .superRefine(listsFitMode('prompts', lists));
export type PromptPolicy = z.infer<typeof PromptPolicy>;

export const storedPromptPolicy = (stored: unknown) => requireStored(stored, lists) as PromptPolicy;

/** `prompts: []` alone of all empty lists may stand, beside a platform prompt. */
export function promptPolicyFaults(
  policy: PromptPolicy,
  isKnown: (list: PromptList, id: string) => boolean,
): PolicyFault[] {
  const selectsPlatform = (policy.platform_prompts?.length ?? 0) > 0;
  return [
    ...(selectsPlatform ? [] : emptyLists(policy, lists)),
    ...duplicates(policy, lists),
    ...unknownItems(policy, lists, isKnown),
  ];
}

export function admitsPrompt(
  policy: PromptPolicy,
  item: { list: PromptList; id: string },
): boolean {
  return passes(policy.mode, () => policy[item.list]?.includes(item.id) === true);
}
