import { describe, expect, test } from 'vitest';
import { faultsOf, useAuthors } from '../content/author.ts';
import type { Author } from '../content/author.ts';
import { eras } from '../mcp/both-eras.ts';
import type { AnswerBody } from '../mcp/key-holder.ts';
import { unknownId } from './managing.ts';

const { ada, bob } = await useAuthors();

const freshName = (prefix: string) => `${prefix}_${crypto.randomUUID().slice(0, 8)}`;
const addAgent = async (author: Author) => {
  const draft = { name: freshName('agent'), description: 'Helps.', instructions: 'Help.' };
  const { body } = await author.rest('/api/me/agents', draft);
  return { id: body.id, name: draft.name };
};
const dropAgent = async (author: Author, { id }: { id: string }) =>
  expect((await author.rest(`/api/me/agents/${id}`, undefined, 'DELETE')).status).toBe(204);
const makeKey = (author: Author, fields: object) =>
  author.rest('/api/keys', { name: freshName('key'), mcp_capabilities: ['agents'], ...fields });
const keysOf = async (author: Author) => (await author.rest('/api/keys?limit=200')).body.data;
const countsOf = async (author: Author) => ({
  keys: (await keysOf(author)).length,
  audited: (await author.rest('/api/me/audit?limit=200')).body.data.length,
});
const agentOf = async (author: Author, id: string) =>
  (await author.rest(`/api/keys/${id}`)).body['default_agent'];
const createBootstrap = async (author: Author, secret: string, era: (typeof eras)[number][1]) => {
  const ask = await era(author.endpoint, secret);
  return async (input: object) => {
    const { text } = await ask('tools/call', { name: 'bootstrap', arguments: input });
    return (JSON.parse(text) as AnswerBody).result.structuredContent;
  };
};

describe.each(eras)('the default agent over MCP %s', (_era, era) => {
  test('is assigned to a primary agent that names no agent, and not to a subagent (K2)', async () => {
    const [agent, other] = [await addAgent(ada), await addAgent(ada)];
    const key = await makeKey(ada, { default_agent_id: agent.id.toUpperCase() });
    const bootstrap = await createBootstrap(ada, key.body['secret'] as string, era);
    const notRequested = { status: 'not_requested' };

    expect([key.status, key.body['default_agent']]).toEqual([201, agent]);
    expect(await bootstrap({ primary_agent: true })).toMatchObject({
      agent: { status: 'assigned', name: agent.name, components: [] },
      catalog: notRequested,
    });
    expect(await bootstrap({ primary_agent: true, agent_name: other.name })).toMatchObject({
      agent: { status: 'selected', name: other.name },
    });
    for (const [agent_selection, status] of [
      ['none', 'none'],
      ['self', 'selection_available'],
    ])
      expect((await bootstrap({ primary_agent: false, agent_selection }))['agent']).toEqual({
        status,
      });
  });

  test.each([
    ['the agent is deleted', null],
    ['the key loses Agents and regains it', { mcp_capabilities: ['tools'] }],
    ['the key’s policy excludes it', 'policy'],
  ])(
    'is hidden when %s, and can be cleared; the key can still be edited (K3)',
    async (_how, edit) => {
      const [agent, other] = [await addAgent(ada), await addAgent(ada)];
      const key = await makeKey(ada, { default_agent_id: agent.id });
      const keyPath = `/api/keys/${key.body.id}`;
      const bootstrap = await createBootstrap(ada, key.body['secret'] as string, era);
      const agent_policy = { mode: 'whitelist', agents: [other.id] };

      if (edit === null) await dropAgent(ada, agent);
      else await ada.rest(keyPath, edit === 'policy' ? { agent_policy } : edit, 'PATCH');

      const renamed = await ada.rest(keyPath, { name: freshName('renamed') }, 'PATCH');
      const listed = (await keysOf(ada)).find(({ id }) => id === key.body.id);
      const shown = [(await ada.rest(keyPath)).body, renamed.body, listed!];
      expect(renamed.status).toBe(200);
      for (const record of shown) {
        expect(record['default_agent']).toEqual({ available: false });
        expect(JSON.stringify(record)).not.toMatch(new RegExp(`${agent.id}|${agent.name}`));
      }
      if (typeof edit !== 'object' || edit === null) {
        const { agent: role, catalog } = await bootstrap({ primary_agent: true });
        expect([role, catalog]).toEqual([
          { status: 'assignment_unavailable' },
          { status: 'not_requested' },
        ]);
      } else {
        expect((await bootstrap({ primary_agent: true }))['agent']).toEqual({ status: 'disabled' });
        await ada.rest(keyPath, { mcp_capabilities: ['agents'] }, 'PATCH');
        expect(await agentOf(ada, key.body.id)).toEqual(agent);
      }
      const cleared = await ada.rest(keyPath, { default_agent_id: null }, 'PATCH');
      expect([cleared.status, cleared.body['default_agent']]).toEqual([200, null]);
    },
  );
});

describe('a default agent that the resulting key cannot use', () => {
  test('is refused without a key or an audit entry; a foreign agent is refused like an unknown one (K2, rel:K13)', async () => {
    const [agent, other] = [await addAgent(ada), await addAgent(ada)];
    const foreign = await addAgent(bob);
    const before = await countsOf(ada);
    const answers = [];

    for (const fields of [
      { default_agent_id: unknownId },
      { default_agent_id: foreign.id },
      { default_agent_id: agent.id, mcp_capabilities: ['tools', 'prompts', 'resources'] },
      { default_agent_id: agent.id, agent_policy: { mode: 'whitelist', agents: [other.id] } },
      { default_agent_id: agent.id, agent_policy: { mode: 'blacklist', agents: [agent.id] } },
    ])
      answers.push(await makeKey(ada, fields));

    for (const answer of answers) {
      expect(faultsOf(answer)).toEqual([422, 'agent_unavailable /default_agent_id']);
      expect(JSON.stringify(answer.body)).toBe(JSON.stringify(answers[0]!.body));
    }
    expect(await countsOf(ada)).toEqual(before);
  });

  test('is validated against the edited key', async () => {
    const agent = await addAgent(ada);
    const key = await makeKey(ada, { mcp_capabilities: [] });
    const edit = (fields: object) => ada.rest(`/api/keys/${key.body.id}`, fields, 'PATCH');
    const refused = [422, 'agent_unavailable /default_agent_id'];
    const out = { agent_policy: { mode: 'blacklist', agents: [agent.id] } };

    expect(faultsOf(await edit({ default_agent_id: agent.id }))).toEqual(refused);
    const both = await edit({ default_agent_id: agent.id, mcp_capabilities: ['agents'] });
    expect([both.status, both.body['default_agent']]).toEqual([200, agent]);
    const other = await addAgent(ada);
    expect(faultsOf(await edit({ default_agent_id: other.id, mcp_capabilities: [] }))).toEqual(
      refused,
    );
    expect(await agentOf(ada, key.body.id)).toEqual(agent);
    expect((await edit(out)).body['default_agent']).toEqual({ available: false });
  });

  test("a deletion concurrent with the key's creation leaves no key that names the agent (K2, PO15)", async () => {
    const rounds = Array.from({ length: 8 }, async () => {
      const [agent, kept] = [await addAgent(bob), await addAgent(bob)];
      const agent_policy = { mode: 'whitelist', agents: [agent.id, kept.id] };
      const [key] = await Promise.all([
        makeKey(bob, { default_agent_id: agent.id, agent_policy }),
        dropAgent(bob, agent),
      ]);
      if (key.status !== 201) {
        const faults = [
          'unknown_item /agent_policy/agents/0',
          'agent_unavailable /default_agent_id',
        ];
        return expect(faultsOf(key)).toEqual([422, ...faults]);
      }
      const { body } = await bob.rest(`/api/keys/${key.body.id}`);
      expect(body).toMatchObject({
        default_agent: { available: false },
        agent_policy: { mode: 'whitelist', agents: [kept.id] },
      });
    });
    await Promise.all(rounds);
  });
});

describe('a policy’s item lists may name only the account’s own items', () => {
  test('unknown, foreign, deleted and wrong-kind ids get the same response (PO11)', async () => {
    const prompt = { messages: [{ role: 'user', content: 'Hello.' }] };
    const addPrompt = async (author: Author) =>
      (await author.rest('/api/me/prompts', { name: freshName('prompt'), ...prompt })).body.id;
    const [own, foreign, deleted] = [
      await addPrompt(ada),
      await addPrompt(bob),
      await addPrompt(ada),
    ];
    const [agent, foreignAgent] = [await addAgent(ada), await addAgent(bob)];
    await ada.rest(`/api/me/prompts/${deleted}`, undefined, 'DELETE');
    const { data } = (await ada.rest('/api/catalog/prompts')).body;
    const platform = data[0]!.id;
    const statusOf = async (fields: object) => faultsOf(await makeKey(ada, fields));
    const prompts = (list: string[], platform_prompts?: string[]) => ({
      prompt_policy: { mode: 'whitelist', prompts: list, platform_prompts },
    });
    const agents = (...list: string[]) => ({ agent_policy: { mode: 'blacklist', agents: list } });

    expect((await makeKey(ada, prompts([own], [platform]))).status).toBe(201);
    expect((await makeKey(ada, agents(agent.id))).status).toBe(201);
    for (const id of [unknownId, foreign, deleted, platform, agent.id])
      expect(await statusOf(prompts([own, id]))).toEqual([
        422,
        'unknown_item /prompt_policy/prompts/1',
      ]);
    for (const id of [unknownId, own])
      expect(await statusOf(prompts([], [id]))).toEqual([
        422,
        'unknown_item /prompt_policy/platform_prompts/0',
      ]);
    for (const id of [unknownId, foreignAgent.id, own])
      expect(await statusOf(agents(agent.id, id))).toEqual([
        422,
        'unknown_item /agent_policy/agents/1',
      ]);
    const { body: unknownBody } = await makeKey(ada, agents(unknownId));
    const { body: foreignBody } = await makeKey(ada, agents(foreignAgent.id));
    expect(JSON.stringify(unknownBody)).toBe(JSON.stringify(foreignBody));
  });

  test('sending back a list with a deleted item is refused, not saved', async () => {
    const [deleted, kept] = [await addAgent(ada), await addAgent(ada)];
    const agent_policy = { mode: 'whitelist', agents: [deleted.id, kept.id] };
    const { body } = await makeKey(ada, { agent_policy });
    const keyPath = `/api/keys/${body.id}`;

    const [answer] = await Promise.all([
      ada.rest(keyPath, { agent_policy, name: freshName('renamed') }, 'PATCH'),
      dropAgent(ada, deleted),
    ]);

    expect([200, 422]).toContain(answer.status);
    expect((await ada.rest(keyPath)).body['agent_policy']).toEqual({
      mode: 'whitelist',
      agents: [kept.id],
    });
    expect((await ada.rest(keyPath, { agent_policy }, 'PATCH')).status).toBe(422);
  });
});
