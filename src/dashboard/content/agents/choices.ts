import { queryOptions } from '@tanstack/react-query';
import type { AgentStart } from '../../../content/agents/schema.ts';
import type { Reference } from '../../../platform/http/reference.ts';
import { readAll } from '../../api/lists.ts';
import { request } from '../../api/request.ts';
import type { Space } from '../space.ts';
import type { Agent } from './agent.ts';

type Family = 'tool' | 'prompt' | 'agent';

/** Lists that a condition's item is chosen from; built-in items are in the catalog of the service. */
const LISTS: Record<Family, { own: string; builtIn: string | null }> = {
  tool: { own: 'custom-tools/scopable', builtIn: '/api/catalog/tools' },
  prompt: { own: 'prompts/scopable', builtIn: '/api/catalog/prompts' },
  agent: { own: 'agents', builtIn: null },
};

/** The items of a family that a condition can name: those of the space, and built-in ones. */
export const choicesQuery = (space: Space, family: Family) =>
  queryOptions({
    queryKey: ['content', space.api, 'choices', family],
    async queryFn({ signal }) {
      const { own, builtIn } = LISTS[family];
      const [ownItems, builtInItems] = await Promise.all([
        readAll<Reference>(`${space.api}/${own}`, signal),
        builtIn === null ? [] : readAll<Reference>(builtIn, signal),
      ]);
      return { own: ownItems, builtIn: builtInItems };
    },
  });

/** What an agent gets from `bootstrap` with a key, for the version of a definition that is shown. */
export const startQuery = ({ api }: Space, { id, version }: Agent, key_id: string) =>
  queryOptions({
    queryKey: ['content', api, 'start', id, version, key_id],
    queryFn: ({ signal }) =>
      request<AgentStart>(`${api}/agents/${id}/bootstrap`, { body: { key_id }, signal }),
  });
