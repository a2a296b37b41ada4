import type { When } from '../../../content/agents/schema.ts';
import { samePath } from '../family.ts';
import type { Family } from '../family.ts';
import { AgentFields } from './agent-fields.tsx';
import { AgentStart } from './agent-start.tsx';
import { CONDITIONS } from './agent.ts';
import type { Agent, AgentValues, Condition } from './agent.ts';

export const agentFamily: Family<Agent, AgentValues> = {
  place: 'agents',
  path: 'agents',
  nameOf: ({ name }) => name,
  valuesOf: (agent) => ({
    name: agent?.name ?? '',
    description: agent?.description ?? '',
    instructions: agent?.instructions ?? '',
    components: (agent?.components ?? []).map(({ name, content, when }) => ({
      name,
      content,
      when: conditionOf(when),
    })),
  }),
  bodyOf: (values) => ({
    ...values,
    components: values.components.map((component) => ({
      ...component,
      when: whenOf(component.when),
    })),
  }),
  // In the form, the kind of a condition is a value, not a field.
  fieldOf: ([first, index, part, ...rest], values) =>
    first === 'components' && index !== undefined && part === 'when'
      ? `components.${index}.when.value`
      : samePath(
          [first, index, part, ...rest].filter((one) => one !== undefined),
          values,
        ),
  Fields: AgentFields,
  Start: AgentStart,
};

function conditionOf(when: When): Condition {
  for (const kind of CONDITIONS) {
    const value = kind === 'always' ? undefined : when?.[kind];
    if (value !== undefined) return { kind, value };
  }
  return { kind: 'always', value: '' };
}

const whenOf = ({ kind, value }: Condition) => (kind === 'always' ? null : { [kind]: value });
