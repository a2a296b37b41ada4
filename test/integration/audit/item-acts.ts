import type { Action } from '../../../src/caller/actions.ts';
import { byAda } from './acting.ts';
import type { PrepareAction, ActionContext } from './acting.ts';

interface Family {
  path: string;
  noun: 'prompt' | 'resource' | 'agent' | 'custom_tool';
  draft: object;
}

const families: readonly Family[] = [
  {
    path: '/api/me/prompts',
    noun: 'prompt',
    draft: { name: 'greet', messages: [{ role: 'user', content: 'Hello.' }] },
  },
  {
    path: '/api/me/resources',
    noun: 'resource',
    draft: { path: 'notes/first.md', text: 'Hello.' },
  },
  {
    path: '/api/me/agents',
    noun: 'agent',
    draft: { name: 'writer', description: 'Writes.', instructions: 'Write.' },
  },
  {
    path: '/api/me/custom-tools',
    noun: 'custom_tool',
    draft: {
      name: 'weather',
      title: 'Weather',
      description: 'The weather of a town.',
      input_schema: { type: 'object' },
      kind: 'http',
      http: { method: 'GET', url: 'https://example.com/weather' },
    },
  },
];

/** One way to perform each action on items, the same for every family. */
export const itemActs: Partial<Record<Action, PrepareAction>> = Object.fromEntries(
  families.flatMap(({ path, noun, draft }) => {
    const add = async (there: ActionContext) => {
      const { body } = await byAda(there, { path, body: draft });
      return (body as { id: string }).id;
    };
    const expectedFor = (id: string) => ({ target: [{ type: noun, id }] });
    const to = (method: string, sent?: object) => async (there: ActionContext) => {
      const id = await add(there);
      const what = { method, path: `${path}/${id}`, ...(sent ? { body: sent } : {}) };
      return { ask: () => byAda(there, what), expected: () => expectedFor(id) };
    };
    const create: PrepareAction = async (there) => ({
      ask: () => byAda(there, { path, body: draft }),
      expected: ({ body }) => expectedFor((body as { id: string }).id),
    });
    return [
      [`${noun}.create`, create],
      [`${noun}.update`, to('PATCH', { description: 'Another one.' })],
      [`${noun}.delete`, to('DELETE')],
    ];
  }),
);
