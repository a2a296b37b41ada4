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

const lists = ['agents'] as const;

/** Own agent definitions by id. */
export const AgentPolicy = z
  .object({ mode: Mode, agents: IdList.optional() })
  .superRefine(listsFitMode('agents', lists));
export type AgentPolicy = z.infer<typeof AgentPolicy>;

export const storedAgentPolicy = (stored: unknown) => requireStored(stored, lists) as AgentPolicy;

export function agentPolicyFaults(
  policy: AgentPolicy,
  isKnown: (id: string) => boolean,
): PolicyFault[] {
  return [
    ...emptyLists(policy, lists),
    ...duplicates(policy, lists),
    ...unknownItems(policy, lists, (_list, id) => isKnown(id)),
  ];
}

export function admitsAgent(policy: AgentPolicy, id: string): boolean {
  return passes(policy.mode, () => policy.agents?.includes(id) === true);
}
