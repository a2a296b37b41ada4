import { systemTools } from '../../catalog/catalog.ts';
import type { Agents } from '../../content/content.ts';
import type { AgentContent } from '../../content/agents/schema.ts';
import type { AgentItem, View, Visibility } from '../../visibility/visibility.ts';
import { agentsDenied } from './bootstrap.ts';
import { findAgent, noteAgentsDenied } from './find-agent.ts';
import { readOnly } from './system-tool.ts';
import type { Decided, SystemTool } from './system-tool.ts';

export interface AgentContextDependencies {
  visibility: Pick<Visibility, 'find' | 'decide' | 'components'>;
  /** Returns the content of one version of an agent definition; null if it was just deleted. */
  readAgent: Agents['contentAt'];
}

/**
 * Creates `agent_context`, which returns the whole current definition of an agent, or
 * `agent_context_unavailable`, which does not reveal why.
 */
export function createAgentContext({
  visibility,
  readAgent,
}: AgentContextDependencies): SystemTool {
  return {
    id: systemTools.agent_context,
    name: 'agent_context',
    title: 'Load an agent definition',
    description:
      'Resolves the name and components that `bootstrap` returned to the current agent ' +
      'definition. If it returns agent_context_unavailable, call `bootstrap` again with the same ' +
      'role selection.',
    version: '1',
    input_schema: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, description: 'The name that `bootstrap` returned.' },
        components: {
          type: 'array',
          items: { type: 'string' },
          description: 'Exactly the components that `bootstrap` returned.',
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
    async prepare(call, input, decided) {
      const view = await call.view();
      if (!view.capabilities.has('agents')) {
        noteAgentsDenied(decided);
        throw agentsDenied();
      }
      const agent = findUnchanged(visibility, { view, decided }, input as unknown as Submitted);
      if (agent === null) return () => UNAVAILABLE;
      return async () => {
        const content = await readAgent(agent);
        if (content === null) return UNAVAILABLE;
        return definitionOf(agent, content, visibility.components(view, agent));
      };
    },
  };
}

/** The same result for absent, foreign, excluded and changed definitions (B7). */
const UNAVAILABLE = { status: 'agent_context_unavailable' };

interface Submitted {
  name: string;
  components: readonly string[];
}

/** Returns the agent; null if the caller cannot access it or its components differ from these. */
function findUnchanged(
  visibility: AgentContextDependencies['visibility'],
  deciding: { view: View; decided: Decided },
  { name, components }: Submitted,
): AgentItem | null {
  const { view } = deciding;
  const agent = findAgent(visibility, deciding, name);
  if (agent === null) return null;
  const now = new Set(visibility.components(view, agent));
  return now.symmetricDifference(new Set(components)).size === 0 ? agent : null;
}

function definitionOf(agent: AgentItem, content: AgentContent, applicable: readonly string[]) {
  const { description, instructions, components } = content;
  return {
    name: agent.name,
    description,
    instructions,
    components: components
      .filter(({ name }) => applicable.includes(name))
      .map(({ name, content: text }) => ({ name, content: text })),
  };
}
