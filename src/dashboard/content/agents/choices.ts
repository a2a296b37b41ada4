import { queryOptions } from '@tanstack/react-query';
import type { Reference } from '../../../platform/http/reference.ts';
import { readAll } from '../../api/lists.ts';
import type { Space } from '../space.ts';

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
