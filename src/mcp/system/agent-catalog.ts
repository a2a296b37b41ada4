import type { View, Visibility } from '../../visibility/visibility.ts';

// What a model may well choose from, and few bytes beside what its descriptions could be.
const AGENTS_PER_PAGE = 200;

/** The agent definitions the caller reaches, after one of them in the order of names. */
export function agentCatalog(visibility: Pick<Visibility, 'list'>, view: View, after: string) {
  const rest = visibility.list(view, 'agent').filter(({ name }) => name > after);
  const agents = rest
    .slice(0, AGENTS_PER_PAGE)
    .map(({ name, description }) => ({ name, description }));
  const count = rest.length - agents.length;
  return {
    status: 'available',
    agents,
    ...(count === 0 ? {} : { more: { count, agent_catalog_after: agents.at(-1)!.name } }),
  };
}

export const agentCatalogSchema = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['available', 'not_requested', 'disabled'] },
    agents: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, description: { type: 'string' } },
        required: ['name', 'description'],
      },
    },
    more: {
      type: 'object',
      description: 'How many agents are not here; the argument that asks for the next of them.',
      properties: { count: { type: 'integer' }, agent_catalog_after: { type: 'string' } },
      required: ['count', 'agent_catalog_after'],
    },
  },
  required: ['status'],
};
