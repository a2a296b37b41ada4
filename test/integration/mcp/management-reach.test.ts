import { describe, expect, test } from 'vitest';
import { useAuthors } from '../content/author.ts';
import { createToolCaller } from './tool-caller.ts';
import { eras } from './both-eras.ts';
import { toolId } from './key-holder.ts';
import {
  allPermissions,
  allTools,
  drafts,
  fullKey,
  nameOf,
  nouns,
  paths,
  personal,
} from './managing.ts';
import type { Noun } from './managing.ts';

const { ada } = await useAuthors();
await ada.select(allTools);

describe('items that a key can write but not read', () => {
  const [, ask2026] = eras[1];
  const secret = 'not for this key';
  const contents: Readonly<Record<Noun, Record<string, unknown>>> = {
    resource: { description: secret, text: secret },
    prompt: {
      arguments: [{ name: 'hidden' }],
      messages: [{ role: 'user', content: '{{hidden}}' }],
    },
    agent: { instructions: secret },
    custom_tool: { description: secret },
  };
  const keyFieldsHiding = (noun: Noun, id: string) =>
    noun === 'custom_tool'
      ? { tool_policy: { mode: 'blacklist', tools: [toolId('uuid')], custom_tools: [id] } }
      : { mcp_capabilities: ['tools'] };

  test.each(nouns)(
    'writing a %s that the key cannot read returns only its id and version',
    async (noun) => {
      const draft = { ...drafts[noun](), ...contents[noun] };
      const { body: stored } = await ada.rest(paths[noun], draft);
      const grants = personal(allPermissions);
      const { secret: key } = await ada.createKey({ grants, ...keyFieldsHiding(noun, stored.id) });
      const { call, run } = await createToolCaller(ada, key, ask2026);
      const { id } = stored;

      expect(await run(nameOf('get', noun), { id })).toBe(
        noun === 'agent' ? 'capability_denied' : 'not_found',
      );
      expect(await run(nameOf('patch', noun), { id })).toEqual({ id, version: 1 });
      const other = { id, description: 'Another.' };
      expect(await run(nameOf('patch', noun), other)).toEqual({ id, version: 2 });
      expect(await run(nameOf('update', noun), { ...draft, id })).toEqual({ id, version: 3 });
      const stale = await call(nameOf('patch', noun), { id, if_version: 1 });
      expect(stale.result.structuredContent.error).toMatchObject({
        code: 'version_mismatch',
        details: { version: 3 },
      });
      expect(await run(nameOf('delete', noun), { id })).toEqual({ deleted: id });
    },
  );

  test('an error about an item that the key cannot read contains only a code and a general message', async () => {
    const draft = { ...drafts.prompt(), ...contents.prompt };
    const { id } = (await ada.rest(paths.prompt, draft)).body;
    const grants = personal(allPermissions);
    const blind = await createToolCaller(ada, (await ada.createKey({ grants })).secret, ask2026);
    const sighted = await createToolCaller(ada, (await fullKey(ada)).secret, ask2026);
    const errorOf = async ({ call }: typeof blind) =>
      (await call('patch_prompt', { id, arguments: [] })).result.structuredContent.error;

    expect(await errorOf(blind)).toEqual({
      code: 'unknown_argument',
      message: 'The item cannot be saved with these changes.',
    });
    expect(JSON.stringify(await errorOf(sighted))).toContain('hidden');
  });

  test('components that do not apply to the key are omitted', async () => {
    const draft = {
      ...drafts.agent(),
      components: [
        { name: 'always', content: 'Always.', when: null },
        { name: 'read', content: secret, when: { capability: 'resources' } },
      ],
    };
    const { id } = (await ada.rest(paths.agent, draft)).body;
    const grants = personal(allPermissions);
    const { run } = await createToolCaller(
      ada,
      (await ada.createKey({ grants, mcp_capabilities: ['tools', 'agents'] })).secret,
      ask2026,
    );
    const shown = { components: [draft.components[0]] };

    expect(await run('get_agent', { id })).toMatchObject(shown);
    expect(await run('patch_agent', { id, description: 'Other.' })).toMatchObject(shown);
    const { data } = await run('list_agents', { limit: 200 });
    expect(data.find((one) => one.id === id)).toMatchObject({
      components: [{ name: 'always', when: null }],
    });
    expect((await ada.rest(`${paths.agent}/${id}`)).body['components']).toHaveLength(2);
  });
});
