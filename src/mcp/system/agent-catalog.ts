import type { View, Visibility } from '../../visibility/visibility.ts';

// Few enough for a model to choose from; also limits the size of the descriptions.
const AGENTS_PER_PAGE = 200;

/** Returns a page of the agent definitions that the caller reaches, starting after a name. */
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
      description:
        'Number of agents not listed here, and the argument that requests the next page.',
      properties: { count: { type: 'integer' }, agent_catalog_after: { type: 'string' } },
      required: ['count', 'agent_catalog_after'],
    },
  },
  required: ['status'],
};
