import type { z } from 'zod';
import {
  AGENT_LIST,
  AgentPolicy,
  PROMPT_LISTS,
  PromptPolicy,
  RESOURCE_LIST,
  ResourcePolicy,
  TOOL_LISTS,
  ToolPolicy,
} from '../../../policies/item-policies.ts';
import type { Policies } from '../../../policies/item-policies.ts';
import { RequiredMode } from '../../../policies/policy.ts';

/** A policy is replaced as a whole, so its mode must be sent: its default would open the team. */
const required = { mode: RequiredMode };

/** The body that replaces a team's policy, by family. */
export const policyBodies: { readonly [Family in keyof Policies]: z.ZodType<Policies[Family]> } = {
  tool: ToolPolicy.safeExtend(required).meta({ id: 'TeamToolPolicy', description: TOOL_LISTS }),
  resource: ResourcePolicy.safeExtend(required).meta({
    ...{ id: 'TeamResourcePolicy', description: RESOURCE_LIST },
  }),
  prompt: PromptPolicy.safeExtend(required).meta({
    ...{ id: 'TeamPromptPolicy', description: PROMPT_LISTS },
  }),
  agent: AgentPolicy.safeExtend(required).meta({ id: 'TeamAgentPolicy', description: AGENT_LIST }),
};
