import { expect, test } from 'vitest';
import { ask, toolId } from '../mcp/key-holder.ts';
import { call, createToolWorld, KEY, keyOf, listed, path } from './tool-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const tools = await closeAfterTests(createToolWorld());

test('a custom tool is listed and called only by its account’s keys', async () => {
  const { body } = await tools.ada.rest(path, tools.draft());
  const name = String(body['name']);
  const [own, foreign] = await Promise.all([keyOf(tools.ada), keyOf(tools.bob)]);

  expect(await listed(tools.ada, own)).toContain(name);
  expect(await listed(tools.bob, foreign)).not.toContain(name);
  const answer = await call(tools.ada, own, name, { city: '../a b', days: 3 });
  expect(answer.result.structuredContent).toMatchObject({
    status: 200,
    result: {
      method: 'POST',
      url: '/v1/..%2Fa%20b',
      headers: { authorization: 'Bearer [secret]' },
      body: '{"days":3}',
    },
  });
  expect(tools.upstream.arrived.at(-1)?.headers['authorization']).toBe(`Bearer ${KEY}`);
  expect((await call(tools.bob, foreign, name, { city: 'x' })).error).toEqual(
    (await call(tools.bob, foreign, 'none', { city: 'x' })).error,
  );
});

test('a change or deletion applies from the next call', async () => {
  const { body } = await tools.ada.rest(
    path,
    tools.draft({
      input_schema: undefined,
      http: { method: 'GET', url: `${tools.upstream.origin}/one` },
      secrets: {},
    }),
  );
  const toolPath = `${path}/${body.id}`;
  const name = String(body['name']);
  const secret = await keyOf(tools.ada);
  const urlOf = async () =>
    (await call(tools.ada, secret, name, {})).result.structuredContent['result'] as { url: string };

  expect(await urlOf()).toMatchObject({ url: '/one' });
  await tools.ada.rest(
    toolPath,
    { http: { method: 'GET', url: `${tools.upstream.origin}/two` } },
    'PATCH',
  );
  expect(await urlOf()).toMatchObject({ url: '/two' });
  await tools.ada.rest(toolPath, undefined, 'DELETE');
  expect((await call(tools.ada, secret, name, {})).error).toMatchObject({ code: -32601 });
  expect(await listed(tools.ada, secret)).not.toContain(name);
});

test('a secret that is set again is sent from the next call', async () => {
  const { body } = await tools.ada.rest(path, tools.draft());
  const name = String(body['name']);
  const secret = await keyOf(tools.ada);
  const sentKey = async () => {
    await call(tools.ada, secret, name, { city: 'Bern' });
    return tools.upstream.arrived.at(-1)?.headers['authorization'];
  };

  expect(await sentKey()).toBe(`Bearer ${KEY}`);
  await tools.ada.rest(`${path}/${body.id}`, { secrets: { KEY: 'another-secret' } }, 'PATCH');
  expect(await sentKey()).toBe('Bearer another-secret');
  await tools.ada.rest(`${path}/${body.id}`, { secrets: { KEY: null } }, 'PATCH');

  const before = tools.upstream.arrived.length;
  await call(tools.ada, secret, name, { city: 'Bern' });
  expect(tools.upstream.arrived).toHaveLength(before);
});

test('arguments and marked headers are validated before anything is sent (B3-11)', async () => {
  const { body } = await tools.ada.rest(path, tools.draft());
  const name = String(body['name']);
  const secret = await keyOf(tools.ada);
  const before = tools.upstream.arrived.length;

  for (const values of [{}, { city: 5 }, { city: 'x', days: '3' }, { city: 'x', more: 1 }])
    expect((await call(tools.ada, secret, name, values)).error).toMatchObject({ code: -32602 });
  const withoutHeader = await ask(tools.ada.endpoint, { 'x-api-key': secret }, 'tools/call', {
    name,
    arguments: { city: 'x' },
  });
  expect(withoutHeader.body.error).toMatchObject({ code: -32020 });
  expect(tools.upstream.arrived).toHaveLength(before);
});

test('a header that does not match its argument does not reveal a tool the caller may not call (mcp.md 4)', async () => {
  const { body } = await tools.ada.rest(path, tools.draft());
  const name = String(body['name']);
  const custom = { mode: 'blacklist', tools: [toolId('hash')], custom_tools: [body['id']] };
  const excludingKey = await keyOf(tools.ada, { tool_policy: custom });
  const incapableKey = await keyOf(tools.ada, { mcp_capabilities: [] });
  const withoutHeader = (secret: string, tool = name) =>
    ask(tools.ada.endpoint, { 'x-api-key': secret }, 'tools/call', {
      name: tool,
      arguments: { city: 'x' },
    });

  const excluded = await withoutHeader(excludingKey);
  const incapable = await withoutHeader(incapableKey);
  const foreign = await withoutHeader(await keyOf(tools.bob));
  const absent = await withoutHeader(await keyOf(tools.bob), 'none');

  expect([excluded, incapable, foreign].map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(excluded.body.result.structuredContent.error?.code).toBe('tool_not_permitted');
  expect(incapable.body.result.structuredContent.error?.code).toBe('capability_denied');
  expect(foreign.body).toEqual(absent.body);
});

test('an upstream failure becomes a tool error, and no caller data is forwarded (B8-7)', async () => {
  const created = await tools.ada.rest(
    path,
    tools.draft({ http: tools.http({ url: `${tools.upstream.origin}/fails` }) }),
  );
  const name = String(created.body['name']);
  const secret = await keyOf(tools.ada);

  const answer = await call(tools.ada, secret, name, { city: 'x' });

  expect(answer.result).toMatchObject({
    isError: true,
    structuredContent: {
      error: { code: 'upstream_error', details: { status: 503, excerpt: 'out of order' } },
    },
  });
  const { headers } = tools.upstream.arrived.at(-1)!;
  expect(Object.keys(headers).toSorted()).toEqual([
    'accept',
    'accept-encoding',
    'authorization',
    'connection',
    'content-length',
    'content-type',
    'host',
    'user-agent',
  ]);
  expect(JSON.stringify(headers)).not.toContain(secret);
});

test('a tool with a missing secret fails without calling the upstream', async () => {
  const { body } = await tools.ada.rest(path, tools.draft({ secrets: {} }));
  const before = tools.upstream.arrived.length;

  const answer = await call(tools.ada, await keyOf(tools.ada), String(body['name']), { city: 'x' });

  expect(answer.result.structuredContent.error).toMatchObject({ code: 'secret_missing' });
  expect(tools.upstream.arrived).toHaveLength(before);
});

test('a key’s tool policy names custom tools by id', async () => {
  const [firstTool, secondTool] = [
    await tools.ada.rest(path, tools.draft()),
    await tools.ada.rest(path, tools.draft()),
  ];
  const names = [String(firstTool.body['name']), String(secondTool.body['name'])] as const;
  await tools.ada.select(['calculator']);
  const [calculator] = (await tools.ada.rest('/api/me/mcp-settings')).body['tools'] as string[];
  const policy = (mode: string, custom_tools?: string[]) => ({
    tool_policy: { mode, tools: [calculator], ...(custom_tools ? { custom_tools } : {}) },
  });
  const onlyFirst = await keyOf(tools.ada, policy('whitelist', [firstTool.body.id]));
  const noneAllowed = await keyOf(tools.ada, policy('whitelist'));
  const exceptFirst = await keyOf(tools.ada, policy('blacklist', [firstTool.body.id]));

  const visibleNames = async (secret: string) =>
    (await listed(tools.ada, secret)).filter((name) => names.includes(name as never));
  expect(await visibleNames(onlyFirst)).toEqual([names[0]]);
  expect(await visibleNames(noneAllowed)).toEqual([]);
  expect(await visibleNames(exceptFirst)).toEqual([names[1]]);
  expect(
    (await call(tools.ada, noneAllowed, names[0], { city: 'x' })).result.structuredContent.error,
  ).toMatchObject({ code: 'tool_not_permitted' });
  await tools.ada.rest(`${path}/${firstTool.body.id}`, undefined, 'DELETE');
  expect(await visibleNames(onlyFirst)).toEqual([]);
});

test('a policy cannot name another account’s tool, nor one that does not exist (PO4)', async () => {
  const { body } = await tools.ada.rest(path, tools.draft());
  const create = (id: string) =>
    tools.bob.rest('/api/keys', {
      name: crypto.randomUUID(),
      mcp_capabilities: [],
      tool_policy: { mode: 'blacklist', tools: [], custom_tools: [id] },
    });

  const [foreign, unknown] = await Promise.all([create(body.id), create(crypto.randomUUID())]);

  expect(foreign.status).toBe(422);
  expect(foreign.body).toEqual(unknown.body);
});
