import { writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createItem } from '../../support/worlds/items.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { eras } from './both-eras.ts';
import { createKeyHolder } from './key-holder.ts';

const prompt = (name: string) => ({
  name,
  arguments: [{ name: 'who', required: true }],
  messages: [{ role: 'user', content: 'Greet {{who}}.' }],
});

const { world, gateway } = await useGateway();
const ada = await createKeyHolder(world, gateway);
const stranger = await createKeyHolder(world, gateway);
await createItem(stranger, 'prompts', prompt('foreign'));
await createItem(ada, 'prompts', prompt('greeting'));
/** A key with the prompts capability, and one without. */
const { secret } = await ada.createKey({ mcp_capabilities: ['prompts'] });
const keyWithoutPrompts = (await ada.createKey({ mcp_capabilities: ['tools'] })).secret;

describe.each(eras)('prompts/get in MCP %s', (_era, createSender) => {
  const get = async (name: unknown, input: object = {}, key = secret) =>
    (await createSender(ada.endpoint, key))('prompts/get', { name, arguments: input });
  const absent = {
    status: 200,
    text: '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Not found"}}',
  };

  test.each([
    ['nothing', 'foreign', 'code-review', 'code_review', 'me/greeting', 'Greeting', 'greeting '],
    ['', '__proto__', 'constructor', '../greeting', 'file:///etc/passwd', 'x'.repeat(8_000)],
  ])(
    'names that are not prompts of the caller get the same "not found" response: %s, %s, … (B3-15)',
    async (...names) => {
      for (const name of names) expect(await get(name, { who: 5 }), name).toEqual(absent);
    },
  );

  test('no prompt is found without the capability (B3-15, C1)', async () => {
    expect(await get('greeting', {}, keyWithoutPrompts)).toEqual(absent);
    expect(await get('nothing', {}, keyWithoutPrompts)).toEqual(absent);
  });

  test('an invalid argument of an existing prompt is reported with its pointer (B3-15)', async () => {
    const { error } = JSON.parse((await get('greeting', { who: 5 })).text);

    expect(error).toMatchObject({
      code: -32602,
      data: { code: 'invalid_params', issues: [{ pointer: '/arguments/who' }] },
    });
    expect((await get('greeting', { who: 'Grace' })).text).toContain('Greet Grace.');
  });

  test.each([undefined, 5, null, ['greeting'], {}])(
    'a prompt name of %j is invalid',
    async (name) => {
      const { error } = JSON.parse((await get(name)).text);

      expect(error).toMatchObject({ code: -32602, data: { code: 'invalid_params' } });
    },
  );
});

test.each(eras)(
  'in MCP %s, reads over the limit return invalid params with a retry time, and calls still work (B3-29)',
  async (_era, createSender) => {
    const file = join(mkdtempSync(join(tmpdir(), 'toolgate-plans-')), 'plans.json');
    writeFileSync(file, JSON.stringify({ free: { content_reads: { minute: 1 } } }));
    const strict = await world.gateway({ env: { PLANS_FILE: file } });
    const eve = await createKeyHolder(world, strict);
    await createItem(eve, 'prompts', prompt('greeting'));
    await eve.select(['uuid']);
    const key = (await eve.createKey({ mcp_capabilities: ['tools', 'prompts'] })).secret;
    const send = await createSender(eve.endpoint, key);
    const read = () => send('prompts/get', { name: 'greeting', arguments: { who: 'you' } });
    const denied = await send('prompts/get', { name: 'nothing' });
    // Two reads may fall into different minutes, but of three at least two share one.
    const answers = [await read(), await read(), await read()];
    const called = await send('tools/call', { name: 'uuid', arguments: {} });

    expect(denied.text).toContain('-32601');
    expect(answers[0]!.text).toContain('Greet you.');
    const refused = answers.find(({ text }) => text.includes('rate_limited'))!;
    expect(refused.status).toBe(200);
    expect(JSON.parse(refused.text).error).toMatchObject({
      code: -32602,
      data: { code: 'rate_limited', window: 'minute', retry_after_seconds: expect.any(Number) },
    });
    expect(called.text).not.toContain('"isError":true');
  },
);
