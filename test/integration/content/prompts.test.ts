import { describe, expect, test } from 'vitest';
import { connectClient } from '../mcp/key-holder.ts';
import { faultsOf, useAuthors } from './author.ts';
import type { Author } from './author.ts';

const { ada, bob } = await useAuthors();

const path = '/api/me/prompts';
const unknownId = '0190aaaa-0000-7000-8000-00000000dead';
const draft = (fields: Record<string, unknown> = {}) => ({
  name: `greet_${crypto.randomUUID().slice(0, 8)}`,
  title: 'Greet',
  arguments: [{ name: 'who', required: true }, { name: 'tone' }],
  messages: [{ role: 'user', content: 'Greet {{who}}, {{tone}}. Again: {{who}}.' }],
  ...fields,
});
const getPrompt = async (author: Author, fields: object, name: string, values = {}) => {
  const { secret } = await author.createKey({ mcp_capabilities: ['prompts'], ...fields });
  const client = await connectClient(author.endpoint, secret);
  const listed = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
  const got = await client.getPrompt({ name, arguments: values }).catch((error: unknown) => error);
  await client.close();
  return { listed, got };
};

describe('prompts over REST', () => {
  test('a prompt is created, listed, read, changed and deleted', async () => {
    const created = await ada.rest(path, draft({ name: 'round' }));
    const promptPath = `${path}/${created.body.id}`;
    const { messages, ...listed } = created.body;

    expect([created.status, created.headers.get('etag')]).toEqual([201, '"1"']);
    expect((await ada.rest(path)).body.data).toContainEqual(listed);
    expect((await ada.rest(promptPath)).body).toEqual(created.body);
    const changed = await ada.rest(promptPath, { title: null }, 'PATCH');
    expect(changed.body).toMatchObject({ name: 'round', title: null, version: 2, messages });
    expect((await ada.rest(promptPath, undefined, 'DELETE')).status).toBe(204);
    expect((await ada.rest(promptPath)).status).toBe(404);
  });

  test('an edit whose If-Match does not name the active version changes nothing (412)', async () => {
    const { body } = await ada.rest(path, draft());
    const promptPath = `${path}/${body.id}`;
    await ada.rest(promptPath, { title: 'Two' }, 'PATCH', { 'if-match': '"1"' });

    const late = await ada.rest(promptPath, { title: 'Three' }, 'PATCH', { 'if-match': '"1"' });
    const deletion = await ada.rest(promptPath, undefined, 'DELETE', { 'if-match': '"1"' });

    expect([faultsOf(late), deletion.status]).toEqual([[412, 'version_mismatch'], 412]);
    expect((await ada.rest(promptPath)).body).toMatchObject({ title: 'Two', version: 2 });
    const anyVersion = await ada.rest(promptPath, { title: 'Three' }, 'PATCH', {
      'if-match': '"1", "2"',
    });
    expect([anyVersion.status, anyVersion.body.version]).toEqual([200, 3]);
  });

  test('an earlier version can be read, and restored as a new one', async () => {
    const { body } = await ada.rest(path, draft({ title: 'First' }));
    const promptPath = `${path}/${body.id}`;
    await ada.rest(promptPath, { title: 'Second' }, 'PATCH');

    expect((await ada.rest(`${promptPath}/versions/1`)).body).toMatchObject({
      title: 'First',
      version: 1,
    });
    const restored = await ada.rest(`${promptPath}/versions/1/restore`, {}, 'POST');
    expect(restored.body).toMatchObject({ title: 'First', version: 3 });
    const { data } = (await ada.rest(`${promptPath}/versions`)).body;
    expect(data.map((version) => version['version'])).toEqual([3, 2, 1]);
    expect((await ada.rest(`${promptPath}/versions/9/restore`, {}, 'POST')).status).toBe(404);
  });

  test('20 concurrent edits each become a version, and none is lost', async () => {
    const { body } = await ada.rest(path, draft());
    const promptPath = `${path}/${body.id}`;
    const titles = Array.from({ length: 20 }, (_, index) => `title ${index}`);

    const answers = await Promise.all(
      titles.map((title) => ada.rest(promptPath, { title }, 'PATCH')),
    );

    expect(answers.map(({ status }) => status)).toEqual(titles.map(() => 200));
    expect(new Set(answers.map((answer) => answer.body.version)).size).toBe(20);
    expect((await ada.rest(promptPath)).body.version).toBe(21);
  });

  test.each([
    ['no name', { name: undefined }, [400]],
    ['a name with a slash', { name: 'a/b' }, [400]],
    ['a name of 65 characters', { name: 'a'.repeat(65) }, [400]],
    ['no messages', { messages: [] }, [400]],
    ['an unsupported role', { messages: [{ role: 'system', content: 'x' }] }, [400]],
    ['a hidden character', { title: 'a\u202eb' }, [400]],
    ['a duplicate argument', { arguments: [{ name: 'who' }, { name: 'who' }] }, [400]],
    [
      'an undeclared placeholder',
      { arguments: [{ name: 'who' }] },
      [422, 'unknown_argument /messages/0/content'],
    ],
  ])('%s is refused and nothing is saved', async (_what, fields, [status, ...codes]) => {
    const before = (await bob.rest(path)).body.data.length;
    const answer = await bob.rest(path, draft(fields));

    expect(answer.status).toBe(status);
    if (codes.length > 0) expect(faultsOf(answer)).toEqual([status, ...codes]);
    expect((await bob.rest(path)).body.data).toHaveLength(before);
  });

  test('a name already used by the account or a platform prompt gets a 409; another account may use it', async () => {
    await ada.rest(path, draft({ name: 'taken' }));

    expect(faultsOf(await ada.rest(path, draft({ name: 'taken' })))).toEqual([
      409,
      'name_taken /name',
    ]);
    expect((await ada.rest(path, draft({ name: 'code_review' }))).body.errors).toEqual([
      {
        code: 'name_taken',
        message: 'A built-in prompt has this name: choose another.',
        detail: { pointer: '/name' },
      },
    ]);
    expect((await bob.rest(path, draft({ name: 'taken' }))).status).toBe(201);
  });

  test('another account’s prompt gets the same response as an unknown one, for every method', async () => {
    const { body } = await ada.rest(path, draft());

    for (const [method, sent] of [['GET'], ['PATCH', { title: 'x' }], ['DELETE']] as const) {
      const foreign = await bob.rest(`${path}/${body.id}`, sent, method);
      const unknown = await bob.rest(`${path}/${unknownId}`, sent, method);
      expect([foreign.status, foreign.body]).toEqual([404, unknown.body]);
    }
  });

  test('a key needs the permission for each operation, and a 403 names it (G, rel:B1-14)', async () => {
    const { body } = await ada.rest(path, draft());
    const promptPath = `${path}/${body.id}`;
    const restWithGrants = async (...permissions: string[]) => {
      const grants = [{ scope: { type: 'personal' }, permissions }];
      return ada.restWith((await ada.createKey({ grants })).secret);
    };
    const viewer = await restWithGrants('can_view_prompts');
    const updater = await restWithGrants('can_update_prompts');
    const withoutGrants = ada.restWith((await ada.createKey()).secret);

    expect((await viewer(promptPath)).status).toBe(200);
    const refused = await viewer(promptPath, { title: 'x' }, 'PATCH');
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      403,
      expect.stringContaining('can_update_prompts'),
    ]);
    expect((await updater(promptPath, { title: 'x' }, 'PATCH')).status).toBe(200);
    expect((await updater(path)).status).toBe(200);
    expect((await updater(promptPath, undefined, 'DELETE')).status).toBe(403);
    expect((await withoutGrants(path)).status).toBe(401);
  });
});

describe('prompts over MCP', () => {
  test('a prompt is listed and rendered for its owner, and not found for everyone else', async () => {
    const name = 'mine';
    await ada.rest(path, draft({ name }));

    const own = await getPrompt(ada, {}, name, { who: '{{tone}}', tone: 'warmly' });
    const foreign = await getPrompt(bob, {}, name);

    expect(own.listed).toContain(name);
    expect(own.got).toMatchObject({
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: 'Greet {{tone}}, warmly. Again: {{tone}}.' },
        },
      ],
    });
    expect(foreign.listed).not.toContain(name);
    expect(foreign.got).toMatchObject({ code: -32601, data: undefined });
  });

  test('without the capability, the list is empty and a prompt is not found (C1)', async () => {
    const name = 'hidden';
    await ada.rest(path, draft({ name }));

    const { listed, got } = await getPrompt(ada, { mcp_capabilities: [] }, name, { who: 'x' });

    expect(listed).toEqual([]);
    expect(got).toMatchObject({ code: -32601, data: undefined });
  });

  test.each([
    ['a required argument is missing', {}, '/arguments/who'],
    ['an argument is not a string', { who: 5 }, '/arguments/who'],
    ['an argument is not declared', { who: 'x', other: 'y' }, '/arguments/other'],
  ])('if %s, the error is invalid params with a pointer to it', async (_what, values, pointer) => {
    const name = `arguments_${crypto.randomUUID().slice(0, 8)}`;
    await ada.rest(path, draft({ name }));

    const { got } = await getPrompt(ada, {}, name, values);

    expect(got).toMatchObject({
      code: -32602,
      data: { code: 'invalid_params', issues: [{ pointer }] },
    });
  });

  test('a platform prompt must be selected (P6)', async () => {
    const { data } = (await ada.rest('/api/catalog/prompts')).body;
    const { id } = data.find((prompt) => prompt['name'] === 'translate')!;
    const values = { text: 'hello', language: 'French' };
    const before = await getPrompt(ada, {}, 'translate', values);
    const saved = await ada.rest(
      '/api/me/mcp-settings',
      { tools: [], platform_prompts: [id] },
      'PUT',
    );
    const after = await getPrompt(ada, {}, 'translate', values);

    expect(saved.body).toMatchObject({ platform_prompts: [id] });
    expect([before.listed.includes('translate'), after.listed.includes('translate')]).toEqual([
      false,
      true,
    ]);
    expect(before.got).toMatchObject({ code: -32601 });
    expect(JSON.stringify(after.got)).toContain('French');
  });

  test('a long argument used in many placeholders is refused instead of filling memory', async () => {
    const name = 'bomb';
    const content = '{{who}}'.repeat(10_000);
    await ada.rest(path, draft({ name, messages: [{ role: 'user', content }] }));

    const { got } = await getPrompt(ada, {}, name, { who: 'x'.repeat(1_000_000) });

    expect(got).toMatchObject({ code: -32602, data: { issues: [{ pointer: '/arguments' }] } });
  });
});
