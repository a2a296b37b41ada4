import { describe, expect, test } from 'vitest';
import { ownAddresses } from '../../support/people/people.ts';
import { createAuthor, useAuthors } from '../content/author.ts';
import { eras } from './both-eras.ts';
import { createToolCaller } from './tool-caller.ts';
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

const plans = new URL('../../support/worlds/generous-plans.json', import.meta.url).pathname;

const { world, gateway, ada, bob } = await useAuthors(ownAddresses, { env: { PLANS_FILE: plans } });
await Promise.all([ada.select(allTools), bob.select(allTools)]);

describe.each(eras)('management tools in MCP %s', (_era, era) => {
  test.each(nouns)('a %s is created, listed, read, changed, replaced and deleted', async (noun) => {
    const { run } = await createToolCaller(ada, (await fullKey(ada)).secret, era);
    const draft = drafts[noun]();

    const made = await run(nameOf('create', noun), draft);
    expect(made).toMatchObject({ ...draft, version: 1 });
    expect((await ada.rest(`${paths[noun]}/${made.id}`)).body).toEqual(made);
    const entry = (await ada.rest(paths[noun])).body.data.find(({ id }) => id === made.id);
    const { data } = await run(nameOf('list', noun), { limit: 200 });
    expect(data.find(({ id }) => id === made.id)).toEqual(entry);
    expect(await run(nameOf('get', noun), { id: made.id })).toEqual(made);

    const patched = await run(nameOf('patch', noun), {
      id: made.id,
      if_version: 1,
      description: 'Another.',
    });
    expect(patched).toMatchObject({ ...draft, description: 'Another.', version: 2 });
    const stale = { id: made.id, if_version: 1 };
    expect(await run(nameOf('patch', noun), { ...stale, description: 'No.' })).toBe(
      'version_mismatch',
    );
    expect(await run(nameOf('delete', noun), stale)).toBe('version_mismatch');
    const replaced = await run(nameOf('update', noun), { ...draft, id: made.id });
    expect(replaced).toMatchObject({ description: made.description, version: 3 });

    expect(await run(nameOf('delete', noun), { id: made.id })).toEqual({ deleted: made.id });
    expect(await run(nameOf('get', noun), { id: made.id })).toBe('not_found');
    expect((await ada.rest(`${paths[noun]}/${made.id}`)).status).toBe(404);
  });

  test.each(nouns)(
    'another account’s %s gets the same response as one that does not exist',
    async (noun) => {
      const { body } = await bob.rest(paths[noun], drafts[noun]());
      const { call } = await createToolCaller(ada, (await fullKey(ada)).secret, era);
      const nobody = '0190aaaa-0000-7000-8000-00000000dead';

      for (const verb of ['get', 'update', 'patch', 'delete'] as const) {
        const fields = verb === 'update' ? drafts[noun]() : {};
        const [foreign, none] = await Promise.all(
          [body.id, nobody].map((id) => call(nameOf(verb, noun), { id, ...fields })),
        );
        expect([verb, foreign?.result]).toEqual([verb, none?.result]);
        expect(foreign?.result.structuredContent.error?.code).toBe('not_found');
      }
      expect((await bob.rest(`${paths[noun]}/${body.id}`)).body).toEqual(body);
    },
  );

  test('invalid arguments return -32602, and an item that cannot be saved returns the pointers', async () => {
    const { call, run } = await createToolCaller(ada, (await fullKey(ada)).secret, era);
    const prompt = drafts.prompt();

    expect(await call('create_prompt', { ...prompt, messages: [] })).toMatchObject({
      error: { code: -32602, data: { code: 'invalid_params', issues: [{ pointer: '/messages' }] } },
    });
    const twice = { ...prompt, arguments: [{ name: 'a' }, { name: 'a' }] };
    expect(await call('create_prompt', twice)).toMatchObject({
      error: {
        code: -32602,
        data: { code: 'invalid_params', issues: [{ pointer: '/arguments' }] },
      },
    });
    const undeclared = { role: 'user', content: '{{nobody}}' };
    const unsaved = await call('create_prompt', { ...prompt, messages: [undeclared, undeclared] });
    expect(unsaved.result.structuredContent.error).toMatchObject({
      code: 'unknown_argument',
      details: {
        pointer: '/messages/0/content',
        problems: [
          { code: 'unknown_argument', detail: { pointer: '/messages/0/content' } },
          { code: 'unknown_argument', detail: { pointer: '/messages/1/content' } },
        ],
      },
    });
    await run('create_prompt', prompt);
    expect(await run('create_prompt', prompt)).toBe('name_taken');
    expect(await run('create_prompt', { ...prompt, nothing: 1 })).toBe(-32602);
    expect(await run('list_prompts', { cursor: 'forged' })).toBe(-32602);
    expect(await run('list_prompts', { cursor: crypto.randomUUID() })).toBe(-32602);
  });

  test.each(nouns)(
    "the next page of %ss works after the previous page's items were deleted",
    async (noun) => {
      const eve = await createAuthor(world, gateway);
      await eve.select(allTools);
      const { run } = await createToolCaller(eve, (await fullKey(eve)).secret, era);
      const other = await createToolCaller(eve, (await fullKey(eve)).secret, era);
      const made = await Promise.all(
        Array.from(
          { length: 5 },
          async () => (await eve.rest(paths[noun], drafts[noun]())).body.id,
        ),
      );
      const list = nameOf('list', noun);

      const seen: string[] = [];
      for (let cursor: object = {}; ;) {
        const { data, next_cursor } = await run(list, { limit: 2, ...cursor });
        for (const { id } of data) {
          seen.push(id);
          await run(nameOf('delete', noun), { id });
        }
        if (next_cursor === null) break;
        cursor = { cursor: next_cursor };
        expect(await other.run(list, cursor)).toBe(-32602);
      }

      expect(seen.toSorted()).toEqual(made.toSorted());
    },
  );
});

describe('management tools by permission', () => {
  const [, ask2026] = eras[1];
  const reads = ['resource', 'prompt', 'custom_tool'].flatMap((noun) => [
    nameOf('list', noun),
    nameOf('get', noun),
  ]);

  test('a key with only Tools gets only read tools, which return only items that the key reaches', async () => {
    const { secret } = await ada.createKey();
    const { listed, run } = await createToolCaller(ada, secret, ask2026);
    const made = (await ada.rest(paths.resource, drafts.resource())).body;

    expect((await listed()).filter((name) => allTools.includes(name)).toSorted()).toEqual(
      reads.toSorted(),
    );
    expect(await run('list_resources')).toEqual({ data: [], next_cursor: null });
    expect(await run('get_resource', { id: made.id })).toBe('not_found');
    expect(await run('list_agents')).toBe('capability_denied');
    expect(await run('create_prompt', drafts.prompt())).toBe('capability_denied');
  });

  test.each(allPermissions)('%s allows its tools and no others', async (permission) => {
    const { secret } = await ada.createKey({ grants: personal([permission]) });
    const { listed, run } = await createToolCaller(ada, secret, ask2026);
    const [, verb, group] = permission.split('_') as [string, string, string];
    const noun = group === 'tools' ? 'custom_tool' : group.slice(0, -1);
    const allowedVerbs = verb === 'update' ? ['update', 'patch'] : [verb];

    const names = await listed();
    expect(names.filter((name) => allTools.includes(name)).toSorted()).toEqual(
      [...reads, ...allowedVerbs.map((one) => nameOf(one, noun))].toSorted(),
    );
    // Each call agrees with the list: a listed tool gets as far as validating its arguments.
    for (const name of allTools) {
      const outcome = await run(name, { none: 1 });
      expect([name, outcome]).toEqual([name, names.includes(name) ? -32602 : 'capability_denied']);
    }
  });

  test('the selection is checked first, then the policy, then the permission', async () => {
    const { body } = await ada.rest('/api/catalog/tools?limit=200');
    const idOf = (toolName: string) => body.data.find(({ name }) => name === toolName)!.id;
    const carol = await createAuthor(world, gateway);
    await carol.select(['create_prompt']);
    const [bare, excluded] = await Promise.all([
      carol.createKey(),
      carol.createKey({ tool_policy: { mode: 'blacklist', tools: [idOf('create_prompt')] } }),
    ]);
    const one = await createToolCaller(carol, bare.secret, ask2026);
    const other = await createToolCaller(carol, excluded.secret, ask2026);

    expect(await one.run('create_agent', {})).toBe('tool_not_permitted');
    expect(await one.run('create_prompt', {})).toBe('capability_denied');
    expect(await other.run('create_prompt', {})).toBe('tool_not_permitted');
  });

  test('after a permission is removed, its tool is refused from the next call on', async () => {
    const key = await ada.createKey({ grants: personal(['can_create_prompts']) });
    const { listed, run } = await createToolCaller(ada, key.secret, ask2026);

    expect(await run('create_prompt', drafts.prompt())).toMatchObject({ version: 1 });
    await ada.rest(`/api/keys/${key.id}`, { grants: [] }, 'PATCH');
    expect(await run('create_prompt', drafts.prompt())).toBe('capability_denied');
    expect(await listed()).not.toContain('create_prompt');
  });
});

test.each(eras)(
  'in MCP %s, the audit log records a write as the key’s own action',
  async (_era, era) => {
    const key = await fullKey(ada);
    const address = '10.77.0.9';
    const { run } = await createToolCaller(ada, key.secret, era, { 'x-forwarded-for': address });

    const { id } = await run('create_prompt', drafts.prompt());
    await run('patch_prompt', { id, description: 'Another.' });
    await run('delete_prompt', { id });

    const { body } = await ada.rest('/api/me/audit?action=prompt.');
    const rows = body.data.filter(({ target }) => (target as { id: string }[])[0]?.id === id);
    expect(rows).toMatchObject(
      ['delete', 'update', 'create'].map((verb) => ({
        action: `prompt.${verb}`,
        actor: { kind: 'api_key', id: key.id },
        credential: { kind: 'api_key', id: key.id },
        address,
      })),
    );
  },
);

test('secrets passed to a write are never stored in the call log', async () => {
  const key = await fullKey(ada);
  await ada.rest('/api/me/settings', { call_audit: { arguments: true } }, 'PATCH');
  const { run } = await createToolCaller(ada, key.secret, eras[1][1]);
  const secret = `hidden-${crypto.randomUUID()}`;

  const made = await run('create_custom_tool', {
    ...drafts.custom_tool(),
    http: {
      method: 'GET',
      url: 'https://api.example.com/',
      headers: { authorization: 'Bearer {{secret.TOKEN}}' },
    },
    secrets: { TOKEN: secret },
  });
  expect(made).toMatchObject({ secrets: ['TOKEN'], missing_secrets: [] });
  await expect
    .poll(async () => JSON.stringify((await ada.rest('/api/me/calls')).body.data))
    .toContain('[withheld]');
  expect(JSON.stringify((await ada.rest('/api/me/calls')).body)).not.toContain(secret);
});
