import { writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { ask, connectClient, createKeyHolder, toolId } from './key-holder.ts';

const { world, gateway } = await useGateway();
const ada = await createKeyHolder(world, gateway);

const system = ['setup', 'bootstrap', 'agent_context'];

describe('a client of 2026-07-28', () => {
  test('lists exactly what it can call, and calls it (S2, S4, S8)', async () => {
    await ada.select(['uuid', 'calculator', 'hash']);
    const { secret } = await ada.createKey();
    const client = await connectClient(ada.endpoint, secret);
    const { tools } = await client.listTools();
    const result = await client.callTool({ name: 'calculator', arguments: { expression: '6*7' } });

    expect(tools.map(({ name }) => name)).toEqual([...system, 'calculator', 'hash', 'uuid']);
    expect(result.structuredContent).toMatchObject({ result: 42 });
    await client.close();
  });

  test('gets a tool error as a result and an absent tool as an error', async () => {
    await ada.select(['calculator']);
    const { secret } = await ada.createKey();
    const client = await connectClient(ada.endpoint, secret);
    await client.listTools();
    const failed = await client.callTool({ name: 'calculator', arguments: { expression: '1/0' } });

    expect(failed).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'invalid_expression' } },
    });
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({
      code: -32601,
      data: undefined,
    });
    await expect(client.callTool({ name: 'calculator', arguments: {} })).rejects.toMatchObject({
      code: -32602,
      data: { code: 'invalid_params', issues: [{ pointer: '/expression' }] },
    });
    await client.close();
  });

  test.each([
    ['division by zero', '1/0'],
    ['a power beyond bounds', '9**9**9'],
    ['a hundred thousand brackets', '('.repeat(100_000)],
    ['code', 'process.exit()'],
    ['a property name of JavaScript', 'constructor'],
  ])('gets invalid_expression for %s (rel:B3-12)', async (_name, expression) => {
    await ada.select(['calculator']);
    const { secret } = await ada.createKey();
    const { status, body } = await ask(ada.endpoint, { 'x-api-key': secret }, 'tools/call', {
      name: 'calculator',
      arguments: { expression },
    });

    expect([status, body]).toMatchObject([
      200,
      { result: { isError: true, structuredContent: { error: { code: 'invalid_expression' } } } },
    ]);
  });

  test('without Tools has only the system tools, and its calls are denied with the reason (C1)', async () => {
    await ada.select(['calculator']);
    const { secret } = await ada.createKey({ mcp_capabilities: [] });
    const client = await connectClient(ada.endpoint, secret);
    const { tools } = await client.listTools();
    const start = await client.callTool({ name: 'bootstrap', arguments: { primary_agent: true } });
    const denied = await ask(ada.endpoint, { 'x-api-key': secret }, 'tools/call', {
      name: 'calculator',
      arguments: {},
    });

    expect(tools.map(({ name }) => name)).toEqual(system);
    expect(start.structuredContent).toMatchObject({
      agent: { status: 'disabled' },
      catalog: { status: 'disabled' },
    });
    expect(denied.body.result.structuredContent.error?.code).toBe('capability_denied');
    await client.close();
  });

  test('gets a changed selection or policy from its next request on, in lists and calls alike (P2)', async () => {
    const policy = { mode: 'blacklist', tools: [toolId('hash')] };
    const { secret } = await ada.createKey({ tool_policy: policy });
    const key = { 'x-api-key': secret };
    for (const selected of [['calculator', 'hash'], [], ['uuid']]) {
      await ada.select(selected);
      const listed = await ask(ada.endpoint, key, 'tools/list');
      const names = listed.body.result.tools.map(({ name }) => name);

      expect(names).toEqual([...system, ...selected.filter((name) => name !== 'hash')]);
      for (const name of ['calculator', 'hash', 'uuid']) {
        const { body } = await ask(ada.endpoint, key, 'tools/call', { name, arguments: { x: 1 } });
        const code = body.error?.data?.code ?? body.result?.structuredContent.error?.code;

        expect(code === 'tool_not_permitted').toBe(!names.includes(name));
      }
    }
  });

  test('is refused at the first request after its key was revoked (A5)', async () => {
    const { id, secret } = await ada.createKey();
    const key = { 'x-api-key': secret };
    const before = await ask(ada.endpoint, key, 'tools/list');
    await ada.revoke(id);
    const after = await ask(ada.endpoint, key, 'tools/list');

    expect([before.status, after.status]).toEqual([200, 401]);
    expect(after.headers.get('www-authenticate')).toBe('ApiKey realm="toolgate"');
  });

  test('never gets the tools of another account (P1)', async () => {
    const dan = await createKeyHolder(world, gateway);
    await dan.select(['uuid']);
    await ada.select(['calculator']);
    const { secret } = await dan.createKey();
    const { body } = await ask(dan.endpoint, { 'x-api-key': secret }, 'tools/list');

    expect(body.result.tools.map(({ name }) => name)).toEqual([...system, 'uuid']);
  });
});

describe('credentials on /mcp', () => {
  test('a session gets 403; a forged one, a key sent as bearer and two credentials get 401 (A1, A2, rel:B1)', async () => {
    const { secret } = await ada.createKey();
    const statusOf = async (headers: Record<string, string>) =>
      (await ask(ada.endpoint, headers, 'tools/list')).status;
    const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; ');

    expect(await statusOf({})).toBe(401);
    expect(await statusOf(ada.bearer)).toBe(403);
    expect(await statusOf({ cookie })).toBe(403);
    expect(await statusOf({ cookie: cookie.replaceAll(/=.{9}/g, '=forged123') })).toBe(401);
    expect(await statusOf({ 'x-api-key': secret, cookie })).toBe(401);
    expect(await statusOf({ authorization: 'Bearer a.b.c' })).toBe(401);
    expect(await statusOf({ authorization: `Bearer ${secret}` })).toBe(401);
    expect(await statusOf({ 'x-api-key': secret, ...ada.bearer })).toBe(401);
    expect(await statusOf({ 'x-api-key': secret })).toBe(200);
  });

  test('an expired session gets 401, as bearer and as cookie (rel:B1-10)', async () => {
    const eve = await createKeyHolder(world, gateway);
    const cookie = [...eve.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const statuses = () =>
      Promise.all(
        [eve.bearer, { cookie }].map(
          async (headers) => (await ask(eve.endpoint, headers, 'tools/list')).status,
        ),
      );

    const before = await statuses();
    await world.query('UPDATE account_session SET expires_at = now() WHERE account_id = $1', [
      eve.account_id,
    ]);

    expect([before, await statuses()]).toEqual([
      [403, 403],
      [401, 401],
    ]);
  });
});

describe('call limits', () => {
  test('apply per account, name the window and cause a tool error, not an HTTP 429 (S9, rel:B3-29)', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'toolgate-plans-')), 'plans.json');
    writeFileSync(file, JSON.stringify({ free: { tool_calls: { minute: 2 } } }));
    const strict = await world.gateway({ env: { PLANS_FILE: file } });
    const eve = await createKeyHolder(world, strict);
    await eve.select(['uuid']);
    const [first, second] = [await eve.createKey(), await eve.createKey()];
    const call = (secret: string, name = 'uuid', args: object = {}) =>
      ask(eve.endpoint, { 'x-api-key': secret }, 'tools/call', { name, arguments: args });

    const denied = await call(first.secret, 'calculator');
    const admitted = [
      await call(first.secret),
      await call(second.secret, 'bootstrap', { primary_agent: true }),
    ];
    const refused = await call(second.secret);

    expect(denied.body.result.structuredContent.error?.code).toBe('tool_not_permitted');
    expect(admitted.map(({ body }) => body.result.isError ?? false)).toEqual([false, false]);
    expect([refused.status, refused.body.result.structuredContent.error]).toEqual([
      200,
      {
        code: 'rate_limited',
        message: expect.any(String),
        details: { window: 'minute', limit: 2, retry_after_seconds: expect.any(Number) },
      },
    ]);
  });
});
