import type { z } from 'zod';
import type { AgentListed, AgentRecord } from '../../../content/agents/schema.ts';

export type ListedAgent = z.infer<typeof AgentListed>;
export type Agent = z.infer<typeof AgentRecord>;

export const CONDITIONS = ['always', 'capability', 'tool', 'prompt', 'agent', 'resource'] as const;
export type ConditionKind = (typeof CONDITIONS)[number];

/** A condition in the form: what must be reached, and which one. */
export interface Condition {
  kind: ConditionKind;
  value: string;
}

export interface AgentComponent {
  name: string;
  content: string;
  when: Condition;
}

export interface AgentValues extends Record<string, unknown> {
  name: string;
  description: string;
  instructions: string;
  components: AgentComponent[];
}
