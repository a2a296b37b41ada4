import { z } from 'zod';
import {
  AgentPolicy,
  PromptPolicy,
  ResourcePolicy,
  ToolPolicy,
} from '../../../policies/item-policies.ts';
import type { Policies } from '../../../policies/item-policies.ts';
import { policyModes } from '../../../policies/policy.ts';

/** A policy is replaced as a whole, so its mode must be sent: its default would open the team. */
const mode = z.enum(policyModes);

/** The body that replaces a team's policy, by family. */
export const policyBodies: { readonly [Family in keyof Policies]: z.ZodType<Policies[Family]> } = {
  tool: ToolPolicy.safeExtend({ mode }).meta({ id: 'TeamToolPolicy' }),
  resource: ResourcePolicy.safeExtend({ mode }).meta({ id: 'TeamResourcePolicy' }),
  prompt: PromptPolicy.safeExtend({ mode }).meta({ id: 'TeamPromptPolicy' }),
  agent: AgentPolicy.safeExtend({ mode }).meta({ id: 'TeamAgentPolicy' }),
};
