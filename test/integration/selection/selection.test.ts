import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemAuthority } from '../../../src/caller/actor.ts';
import { personalSpace } from '../../support/worlds/personal-space.ts';
import { McpSettings } from '../../../src/content/selection/schema.ts';
import { createDeployment } from '../../support/servers/deployment.ts';
import { createKeyring } from '../../support/people/keyring.ts';
import type { Keyring } from '../../support/people/keyring.ts';
import { fromHere } from '../../support/from-here.ts';

const unknownId = '0190aaaa-0000-7000-8000-00000000dead';

describe.each([true, false])('cached: %s', (cached) => {
  let ring: Keyring;
  beforeAll(async () => {
    ring = await createKeyring(await createDeployment(), { cached });
  });
  afterAll(() => ring.close());

  const replace = (account: string, lists: object) => {
    const settings = McpSettings.parse({ platform_prompts: [], ...lists });
    return ring.selection.replace(personalSpace(account), settings, systemAuthority);
  };
  const visibleTools = async (secret: string) => {
    const view = await ring.visibility.view(await ring.credentials.authenticate(secret, fromHere));
    return ring.visibility.list(view, 'tool').map(({ name }) => name);
  };

  test('initially, nothing is selected (S8)', async () => {
    const account = await ring.addAccount();

    expect(await ring.selection.settings(account)).toEqual({ tools: [], platform_prompts: [] });
    expect((await ring.selection.scopableTools(account)).map((tool) => tool.selected)).toEqual([
      false,
      false,
    ]);
  });

  test('a selection replaces the previous one and applies from a key’s next request', async () => {
    const account = await ring.addAccount();
    const { secret } = await ring.addKey(account, { mcp_capabilities: ['tools'] });
    const [add, count] = ring.tools.map(({ id }) => id);

    expect(await visibleTools(secret)).toEqual([]);
    expect(await replace(account, { tools: [count!.toUpperCase(), add] })).toEqual({
      tools: [add, count],
      platform_prompts: [],
    });
    expect(await visibleTools(secret)).toEqual(['add', 'count']);
    await replace(account, { tools: [count] });
    expect(await visibleTools(secret)).toEqual(['count']);
    await replace(account, { tools: [] });
    expect(await visibleTools(secret)).toEqual([]);
  });

  test('another account’s selection has no effect (rel:P1)', async () => {
    const { secret } = await ring.addKey(await ring.addAccount(), { mcp_capabilities: ['tools'] });

    await replace(await ring.addAccount(), { tools: [ring.tools[0]!.id] });

    expect(await visibleTools(secret)).toEqual([]);
  });

  test('a key sees exactly what is selected, declared and admitted (S4, P5, C1)', async () => {
    const account = await ring.addAccount();
    const [add, count] = ring.tools.map(({ id }) => id);
    await replace(account, { tools: [add, count] });
    const keyWith = async (tool_policy: object, mcp_capabilities = ['tools']) =>
      visibleTools((await ring.addKey(account, { mcp_capabilities, tool_policy })).secret);

    expect(await keyWith({ mode: 'all' })).toEqual(['add', 'count']);
    expect(await keyWith({ mode: 'whitelist', tools: [add] })).toEqual(['add']);
    expect(await keyWith({ mode: 'blacklist', tools: [add] })).toEqual(['count']);
    expect(await keyWith({ mode: 'all' }, ['prompts', 'agents'])).toEqual([]);
  });

  test('unknown, deprecated and repeated ids are refused with their pointers, and nothing changes', async () => {
    const account = await ring.addAccount();
    const [add, , old] = ring.tools.map(({ id }) => id);
    await replace(account, { tools: [add] });

    const refusal = replace(account, {
      tools: [add, add!.toUpperCase(), unknownId, old],
      platform_prompts: [unknownId],
    });

    await expect(refusal).rejects.toMatchObject({
      kind: 'unprocessable',
      problems: [
        { code: 'duplicate_item', detail: { pointer: '/tools/1' } },
        { code: 'duplicate_item', detail: { pointer: '/platform_prompts/0' } },
        { code: 'unknown_item', detail: { pointer: '/tools/2' } },
        { code: 'unknown_item', detail: { pointer: '/tools/3' } },
        { code: 'unknown_item', detail: { pointer: '/platform_prompts/0' } },
      ],
    });
    expect((await ring.selection.settings(account)).tools).toEqual([add]);
  });

  test('the scopable tools are all current tools, each marked as selected or not', async () => {
    const account = await ring.addAccount();
    const [add, count] = ring.tools;
    await replace(account, { tools: [count!.id] });

    expect(await ring.selection.scopableTools(account)).toEqual([
      { id: add!.id, name: 'add', title: 'add', selected: false },
      { id: count!.id, name: 'count', title: 'count', selected: true },
    ]);
  });
});
