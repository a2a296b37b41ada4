import type { z } from 'zod';
import {
  AgentPolicy,
  PromptPolicy,
  ResourcePolicy,
  ToolPolicy,
} from '../../../policies/item-policies.ts';
import type { Policies } from '../../../policies/item-policies.ts';
import { RequiredMode } from '../../../policies/policy.ts';

/** A policy is replaced as a whole, so its mode must be sent: its default would open the team. */
const required = { mode: RequiredMode };

const named = (id: string) => ({ id: `Team${id}`, description: `As \`${id}\`, with its mode.` });

/** The body that replaces a team's policy, by family. */
export const policyBodies: { readonly [Family in keyof Policies]: z.ZodType<Policies[Family]> } = {
  tool: ToolPolicy.safeExtend(required).meta(named('ToolPolicy')),
  resource: ResourcePolicy.safeExtend(required).meta(named('ResourcePolicy')),
  prompt: PromptPolicy.safeExtend(required).meta(named('PromptPolicy')),
  agent: AgentPolicy.safeExtend(required).meta(named('AgentPolicy')),
};
