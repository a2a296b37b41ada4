import { unavailable } from '../../platform/refusal.ts';
import { agentsDenied } from './bootstrap.ts';
import { readOnly } from './system-tool.ts';
import type { SystemTool } from './system-tool.ts';

/** The whole current definition of an agent, or the non-revealing `agent_context_unavailable`. */
export function createAgentContext(): SystemTool {
  return {
    id: '0199c0de-0000-7000-8000-000000000003',
    name: 'agent_context',
    title: 'Load an agent definition',
    description:
      'Resolves the name and components that `bootstrap` returned to the current agent ' +
      'definition. If it answers agent_context_unavailable, call `bootstrap` again with the same ' +
      'role selection.',
    version: '1',
    input_schema: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, description: 'The name `bootstrap` returned.' },
        components: {
          type: 'array',
          items: { type: 'string' },
          description: 'Exactly the components `bootstrap` returned.',
        },
      },
      required: ['name', 'components'],
      additionalProperties: false,
    },
    output_schema: {
      type: 'object',
      anyOf: [
        {
          properties: {
            name: { type: 'string' },
            description: { type: 'string' },
            instructions: { type: 'string' },
            components: {
              type: 'array',
              items: {
                type: 'object',
                properties: { name: { type: 'string' }, content: { type: 'string' } },
                required: ['name', 'content'],
              },
            },
          },
          required: ['name', 'description', 'instructions', 'components'],
        },
        {
          properties: { status: { const: 'agent_context_unavailable' } },
          required: ['status'],
        },
      ],
    },
    annotations: readOnly,
    answer({ view }) {
      if (view === null) throw unavailable('what the caller reaches is not known');
      if (!view.capabilities.has('agents')) throw agentsDenied();
      // Absent, foreign and changed definitions answer alike (B7).
      return { status: 'agent_context_unavailable' };
    },
  };
}
