import { describe, expect, test } from 'vitest';
import { eras } from '../mcp/both-eras.ts';
import type { AnswerBody } from '../mcp/key-holder.ts';
import { toolId } from '../mcp/key-holder.ts';
import { faultsOf, useAuthors } from './author.ts';
import type { Author } from './author.ts';

const { ada, bob } = await useAuthors();

const path = '/api/me/agents';
const unknownId = '0190aaaa-0000-7000-8000-00000000dead';
const freshName = () => `agent_${crypto.randomUUID().slice(0, 8)}`;
const draft = (fields: Record<string, unknown> = {}) => ({
  name: freshName(),
  description: 'Reviews changes.',
  instructions: '# Reviewer\n\nBe kind.',
  components: [{ name: 'always', content: 'Read the diff.' }],
  ...fields,
});
const component = (name: string, when: object | null) => ({ name, content: `On ${name}.`, when });
const addPrompt = (author: Author) =>
  author.rest('/api/me/prompts', {
    name: `prompt_${crypto.randomUUID().slice(0, 8)}`,
    messages: [{ role: 'user', content: 'Hello.' }],
  });

type Structured = AnswerBody['result']['structuredContent'] & {
  agent: { status: string; name?: string; components?: string[] };
  catalog: { status: string; agents?: { name: string }[] };
};
/** Calls a tool and returns its structured result, or the code of its error. */
const createCaller = async (author: Author, secret: string, era: (typeof eras)[number][1]) => {
  const ask = await era(author.endpoint, secret);
  return async (name: string, input: object) => {
    const { text } = await ask('tools/call', { name, arguments: input });
    const { result, error } = JSON.parse(text) as AnswerBody;
    return (error?.code ??
      result.structuredContent.error?.code ??
      result.structuredContent) as Structured;
  };
};

describe('agents over REST', () => {
  test('an agent is created, listed without its texts, read, changed and deleted', async () => {
    const created = await ada.rest(path, draft());
    const agentPath = `${path}/${created.body.id}`;
    const { instructions: _instructions, ...head } = created.body;

    expect([created.status, created.headers.get('etag')]).toEqual([201, '"1"']);
    expect((await ada.rest(path)).body.data).toContainEqual({
      ...head,
      components: [{ name: 'always', when: null }],
    });
    expect((await ada.rest(agentPath)).body).toEqual(created.body);
    const changed = await ada.rest(agentPath, { instructions: 'Be brief.' }, 'PATCH');
    expect(changed.body).toEqual({
      ...created.body,
      instructions: 'Be brief.',
      version: 2,
      updated_at: expect.any(String),
    });
    expect((await ada.rest(agentPath, undefined, 'DELETE')).status).toBe(204);
    expect((await ada.rest(agentPath)).status).toBe(404);
  });

  test.each([
    ['no description', { description: undefined }],
    ['an empty description', { description: '' }],
    ['no instructions', { instructions: undefined }],
    ['a name with a slash', { name: 'me/a' }],
    ['a hidden character', { instructions: 'a\u202eb' }],
    ['a component without content', { components: [{ name: 'a' }] }],
    ['a component twice', { components: [component('a', null), component('a', null)] }],
    ['51 components', { components: Array(51).fill(component('a', null)) }],
    ['an empty condition', { components: [component('a', {})] }],
    [
      'a condition on two items',
      { components: [component('a', { capability: 'tools', tool: unknownId })] },
    ],
    [
      'a condition on an unknown capability',
      { components: [component('a', { capability: 'all' })] },
    ],
    [
      'a condition with a name instead of an id',
      { components: [component('a', { tool: 'hash' })] },
    ],
  ])('%s is refused (400) and nothing is saved', async (_what, fields) => {
    const before = (await bob.rest(path)).body.data.length;

    expect((await bob.rest(path, draft(fields))).status).toBe(400);
    expect((await bob.rest(path)).body.data).toHaveLength(before);
  });

  test('a condition must name an existing item; unknown, foreign and wrong-kind ids get the same 422', async () => {
    const [own, foreign] = await Promise.all([addPrompt(ada), addPrompt(bob)]);
    const create = (when: object) =>
      ada.rest(path, draft({ components: [component('a', null), component('b', when)] }));
    const { data } = (await ada.rest('/api/catalog/prompts')).body;

    for (const when of [
      { prompt: own.body.id },
      { prompt: data[0]!.id },
      { tool: toolId('hash').toUpperCase() },
      { capability: 'tools' },
    ])
      expect((await create(when)).status).toBe(201);
    for (const when of [
      { prompt: unknownId },
      { prompt: foreign.body.id },
      { tool: own.body.id },
      { agent: own.body.id },
      { resource: 'no/such/path' },
    ])
      expect(faultsOf(await create(when))).toEqual([422, 'unknown_item /components/1/when']);
    const [unknownAnswer, foreignAnswer] = [
      await create({ prompt: unknownId }),
      await create({ prompt: foreign.body.id }),
    ];
    expect(JSON.stringify(unknownAnswer.body)).toBe(JSON.stringify(foreignAnswer.body));
  });

  test('a condition on a deleted item does not block other edits, but cannot be created', async () => {
    const prompt = await addPrompt(ada);
    const components = [component('a', { prompt: prompt.body.id })];
    const created = await ada.rest(path, draft({ components }));
    const agentPath = `${path}/${created.body.id}`;
    await ada.rest(`/api/me/prompts/${prompt.body.id}`, undefined, 'DELETE');

    expect((await ada.rest(agentPath, { components, instructions: 'x' }, 'PATCH')).status).toBe(
      200,
    );
    expect((await ada.rest(path, draft({ components }))).status).toBe(422);
  });

  test('a key needs the permission for each operation', async () => {
    const { body } = await ada.rest(path, draft());
    const restWithGrants = async (permissions: string[]) => {
      const grants = [{ scope: { type: 'personal' }, permissions }];
      return ada.restWith((await ada.createKey({ grants })).secret);
    };
    const viewer = await restWithGrants(['can_view_agents']);

    expect((await viewer(`${path}/${body.id}`)).status).toBe(200);
    expect((await viewer(path, draft())).status).toBe(403);
    expect((await (await restWithGrants(['can_create_agents']))(path, draft())).status).toBe(201);
    expect((await (await restWithGrants(['can_view_prompts']))(path)).status).toBe(403);
  });
});

describe.each(eras)('agents over MCP %s', (_era, era) => {
  test('selecting an agent returns the components that apply, and these load its context', async () => {
    const prompt = await addPrompt(ada);
    const name = freshName();
    const components = [
      component('plain', null),
      component('with_prompts', { capability: 'prompts' }),
      component('with_resources', { capability: 'resources' }),
      component('with_prompt', { prompt: prompt.body.id }),
      component('with_hash', { tool: toolId('hash') }),
    ];
    await ada.rest(path, draft({ name, components }));
    const { secret } = await ada.createKey({ mcp_capabilities: ['agents', 'prompts', 'tools'] });
    const ask = await createCaller(ada, secret, era);

    const { agent, catalog } = await ask('bootstrap', { primary_agent: true, agent_name: name });
    const applying = ['plain', 'with_prompts', 'with_prompt'];
    expect(agent).toEqual({ status: 'selected', name, components: applying });
    expect(catalog).toEqual({ status: 'not_requested' });
    expect(await ask('agent_context', { name, components: applying.toReversed() })).toEqual({
      name,
      description: 'Reviews changes.',
      instructions: '# Reviewer\n\nBe kind.',
      components: applying.map((part) => ({ name: part, content: `On ${part}.` })),
    });
    const listed = (await ask('bootstrap', { primary_agent: true })).catalog;
    expect(listed.agents).toContainEqual({ name, description: 'Reviews changes.' });
  });

  test('an edited text applies at once; after a change of components, name or access, the agent is unavailable (B7)', async () => {
    const prompt = await addPrompt(ada);
    const name = freshName();
    const components = [component('part', { prompt: prompt.body.id })];
    const created = await ada.rest(path, draft({ name, components }));
    const agentPath = `${path}/${created.body.id}`;
    const { secret } = await ada.createKey({ mcp_capabilities: ['agents', 'prompts'] });
    const ask = await createCaller(ada, secret, era);
    const load = () => ask('agent_context', { name, components: ['part'] });
    const unavailable = { status: 'agent_context_unavailable' };

    await ada.rest(agentPath, { instructions: 'Second.' }, 'PATCH');
    expect(await load()).toMatchObject({ instructions: 'Second.' });
    await ada.rest(`/api/me/prompts/${prompt.body.id}`, undefined, 'DELETE');
    expect(await load()).toEqual(unavailable);
    expect(await ask('agent_context', { name, components: [] })).toMatchObject({ components: [] });
    await ada.rest(agentPath, { name: freshName() }, 'PATCH');
    expect(await ask('agent_context', { name, components: [] })).toEqual(unavailable);
  });

  test('foreign and absent agents get the same response (B4, B7, rel:B3-13, rel:B3-14)', async () => {
    const foreign = await bob.rest(path, draft({ components: [] }));
    const { secret } = await ada.createKey({ mcp_capabilities: ['agents'] });
    const ask = await createCaller(ada, secret, era);

    for (const name of ['nobody', foreign.body['name']]) {
      expect(await ask('bootstrap', { primary_agent: true, agent_name: name })).toBe(-32601);
      expect(await ask('agent_context', { name, components: [] })).toEqual({
        status: 'agent_context_unavailable',
      });
    }
  });

  test('without the Agents capability, selection and content are denied for any name (B1)', async () => {
    const own = await ada.rest(path, draft());
    const { secret } = await ada.createKey({ mcp_capabilities: ['tools'] });
    const ask = await createCaller(ada, secret, era);

    for (const name of ['nobody', own.body['name']]) {
      const named = { primary_agent: false, agent_selection: 'named', agent_name: name };
      expect(await ask('bootstrap', named)).toBe('capability_denied');
      expect(await ask('agent_context', { name, components: [] })).toBe('capability_denied');
    }
    expect(await ask('bootstrap', { primary_agent: true })).toMatchObject({
      agent: { status: 'disabled' },
      catalog: { status: 'disabled' },
    });
  });
});
