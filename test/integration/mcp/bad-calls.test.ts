import { writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { tools } from '../../../src/catalog/tools.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { invalidInputsOf } from './invalid-inputs.ts';
import { eras } from './both-eras.ts';
import type { AnswerBody } from './key-holder.ts';
import { createKeyHolder, toolId } from './key-holder.ts';
import { openSession, request, send } from './legacy/client.ts';
import { slowGateway } from './legacy/world.ts';
import type { Ends } from './legacy/world.ts';

const ends: Ends = new Map();

const { world, gateway } = await useGateway({}, slowGateway(ends));
const ada = await createKeyHolder(world, gateway);
await ada.select(['calculator', 'hash', 'slow']);
const policy = { mode: 'blacklist', tools: [toolId('hash')] };
const { secret } = await ada.createKey({ tool_policy: policy });

describe.each(eras)('tools/call in MCP %s', (_era, createSender) => {
  const call = async (name: unknown, key = secret) =>
    (await createSender(ada.endpoint, key))('tools/call', { name, arguments: {} });

  test('all names that are not tools get the same "not found" response (B3-10)', async () => {
    const names = ['nothing', '__proto__', 'constructor', 'Calculator', 'calculator ', 'me__x'];
    const answers = await Promise.all(
      [...names, '', 'x'.repeat(8_000), 'ü\u0001'].map((name) => call(name)),
    );

    expect([...new Set(answers.map(({ status, text }) => `${status} ${text}`))]).toEqual([
      '200 {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Not found"}}',
    ]);
  });

  test('an excluded tool and an unselected tool get the same tool_not_permitted response (B3-10)', async () => {
    const [excluded, unselected] = [await call('hash'), await call('uuid')];

    expect(excluded).toEqual(unselected);
    expect(excluded.text).toContain('"code":"tool_not_permitted"');
  });

  test('a key without Tools gets the same denial whether or not the tool exists (B3-10)', async () => {
    const keyWithoutTools = (await ada.createKey({ mcp_capabilities: [] })).secret;
    const answers = await Promise.all(
      ['calculator', 'uuid', 'nothing', 5, undefined].map((name) => call(name, keyWithoutTools)),
    );

    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]!.text).toContain('"code":"capability_denied"');
  });

  test.each([undefined, 5, null, ['calculator'], { a: 1 }])(
    'a tool name of %j is invalid (B3-10)',
    async (name) => {
      const { status, text } = await call(name);

      expect(status).toBe(200);
      expect(JSON.parse(text).error).toMatchObject({
        code: -32602,
        data: {
          code: 'invalid_params',
          issues: [{ pointer: '/name', message: 'must be a string' }],
        },
      });
    },
  );
});

test('invalid arguments of any tool are refused with their pointer and not counted (B3-11)', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'toolgate-plans-')), 'plans.json');
  writeFileSync(file, JSON.stringify({ free: { tool_calls: { minute: 1 } } }));
  const strict = await world.gateway({ env: { PLANS_FILE: file } });
  const eve = await createKeyHolder(world, strict);
  await eve.select(tools.map(({ name }) => name));
  const key = (await eve.createKey()).secret;
  const session = await openSession(eve.endpoint, key);
  const call = async (name: string, input: unknown) => {
    const body = request('tools/call', { name, arguments: input });
    return (await (await send(eve.endpoint, key, { session, body })).json()) as AnswerBody;
  };
  const invalidInputs = tools.flatMap(invalidInputsOf);
  for (const { tool, field, fault, input } of invalidInputs) {
    const { error } = await call(tool, input);
    const { issues = [], ...data } = (error?.data ?? {}) as { issues?: { pointer: string }[] };

    expect([error?.code, data], `${tool}: ${fault}`).toEqual([-32602, { code: 'invalid_params' }]);
    expect(new Set(issues.map(({ pointer }) => pointer)), fault).toEqual(new Set([`/${field}`]));
  }

  expect(invalidInputs.length).toBeGreaterThan(2 * tools.length);
  expect((await call('calculator', { expression: '6*7' })).result.isError ?? false).toBe(false);
});

test('a call in MCP 2025 continues after its client disconnects, and counts once (B3-30)', async () => {
  const session = await openSession(ada.endpoint, secret);
  const controller = new AbortController();
  const aborted = fetch(ada.endpoint, {
    method: 'POST',
    signal: controller.signal,
    headers: {
      'x-api-key': secret,
      'mcp-session-id': session,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(
      request('tools/call', { name: 'slow', arguments: { tag: 'left', ms: 600 } }),
    ),
  }).catch(() => 'aborted');
  const rows = () =>
    world.query<{ outcome: string | null }>(
      `SELECT outcome FROM usage_ledger WHERE item_name = 'slow' AND counted`,
    );
  await vi.waitFor(async () => expect(await rows()).toHaveLength(1), { timeout: 5_000 });
  await pause(50);
  controller.abort();
  await aborted;

  await vi.waitFor(async () => expect(await rows()).toEqual([{ outcome: 'ok' }]), 10_000);
  expect(ends.get('left')).toBe('finished');
});
