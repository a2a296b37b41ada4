import type { Action } from '../../../src/caller/actions.ts';
import { createOrganization } from '../../support/people/organizations.ts';
import { createTeam } from '../../support/people/teams.ts';
import { byAda } from './action-context.ts';
import { organizationScope } from './organization-acts.ts';
import type { PrepareAction, ActionContext } from './action-context.ts';

interface Family {
  path: string;
  noun: 'prompt' | 'resource' | 'agent' | 'custom_tool';
  draft: { readonly name?: string; readonly path?: string; readonly [field: string]: unknown };
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

/** Returns the name of an item; of a resource, its path. */
const nameOf = (draft: { name?: string; path?: string }) => draft.name ?? draft.path;

/** One way to perform each action on items, the same for every family. */
export const itemActs: Partial<Record<Action, PrepareAction>> = Object.fromEntries(
  families.flatMap(({ path, noun, draft }) => {
    const add = async (context: ActionContext) => {
      const { body } = await byAda(context, { path, body: draft });
      return (body as { id: string }).id;
    };
    const first = { name: nameOf(draft), version: 1 };
    const expectedFor = (id: string, detail: object) => ({ target: [{ type: noun, id }], detail });
    const prepareRequest =
      (method: string, detail: object, sent?: object) => async (context: ActionContext) => {
        const id = await add(context);
        const request = { method, path: `${path}/${id}`, ...(sent ? { body: sent } : {}) };
        return { ask: () => byAda(context, request), expected: () => expectedFor(id, detail) };
      };
    const create: PrepareAction = async (context) => ({
      ask: () => byAda(context, { path, body: draft }),
      expected: ({ body }) => expectedFor((body as { id: string }).id, { after: first }),
    });
    const updated = { before: first, after: { ...first, version: 2 } };
    return [
      [`${noun}.create`, create],
      [`${noun}.update`, prepareRequest('PATCH', updated, { description: 'Another one.' })],
      [`${noun}.delete`, prepareRequest('DELETE', { before: first })],
      ...(noun === 'agent'
        ? []
        : [[`${noun}.promote`, preparePromotion(path, noun, draft)] as const]),
    ];
  }),
);

/** Prepares the promotion of a team's item. */
function preparePromotion(path: string, noun: string, draft: Family['draft']): PrepareAction {
  return async (context) => {
    const { id } = await createOrganization(context.ada);
    const team = await createTeam(context.ada, id, 'red');
    const items = `/api/organizations/${id}/teams/${team.id}/${path.split('/').at(-1)}`;
    const { body } = await byAda(context, { path: items, body: draft });
    const item = (body as { id: string }).id;
    return {
      ask: () => byAda(context, { method: 'POST', path: `${items}/${item}/promote` }),
      expected: () => ({
        scopes: [organizationScope(id)],
        target: [{ type: noun, id: item }],
        detail: {
          before: { name: nameOf(draft), version: 1 },
          after: { name: nameOf(draft), version: 1, organization_wide: false },
        },
      }),
    };
  };
}
