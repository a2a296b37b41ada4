import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { ask, createKeyHolder } from '../mcp/key-holder.ts';
import type { AnswerBody } from '../mcp/key-holder.ts';
import { eventReader, initializeBody, openSession, request, send } from '../mcp/legacy/client.ts';
import { slowGateway } from '../mcp/legacy/world.ts';
import type { Ends } from '../mcp/legacy/world.ts';

const ends: Ends = new Map();
const { world, gateway } = await useGateway({}, slowGateway(ends));
const ada = await createKeyHolder(world, gateway);
await ada.select(['calculator', 'slow', 'asking']);
const { secret } = await ada.createKey();

const ping = request('ping');
const codeOf = async (answer: Response) => ((await answer.json()) as AnswerBody).error?.code;

describe('a batch outside a session of 2025-03-26 gets a 400 with -32600 (decisions 5, rel:B3-5)', () => {
  test.each<[string, unknown, Record<string, string>]>([
    ['without a session', [ping], {}],
    ['that would initialize', [initializeBody('2025-03-26')], {}],
    ['of 2026-07-28', [ping], { 'mcp-protocol-version': '2026-07-28' }],
  ])('%s', async (_what, body, headers) => {
    const answer = await send(ada.endpoint, secret, { body, headers });

    expect([answer.status, await codeOf(answer)]).toEqual([400, -32600]);
  });
});

describe('the order of refusals is capability, selection, arguments (decisions 5)', () => {
  const shapeless = (name: string) => ({ name, arguments: [] as unknown });
  const codeFor = async (key: string, name: string) => {
    const { body } = await ask(ada.endpoint, { 'x-api-key': key }, 'tools/call', shapeless(name));
    return body.error?.code ?? body.result.structuredContent.error?.code;
  };

  test('without Tools, a call returns capability_denied, even if its arguments are not an object', async () => {
    const bare = await ada.createKey({ mcp_capabilities: [] });

    expect(await codeFor(bare.secret, 'calculator')).toBe('capability_denied');
  });

  test('for an unselected tool, it returns tool_not_permitted, even if its arguments are not an object', async () => {
    expect(await codeFor(secret, 'uuid')).toBe('tool_not_permitted');
  });

  test('for an absent tool, it returns method_not_found, even if its arguments are not an object', async () => {
    expect(await codeFor(secret, 'nothing')).toBe(-32601);
  });
});

test('a tools/call without an id runs nothing, alone or in a batch (rel:B3-6)', async () => {
  const call = (tag: string) => ({
    jsonrpc: '2.0',
    method: 'tools/call',
    params: { name: 'slow', arguments: { tag, ms: 1 } },
  });
  const session = await openSession(ada.endpoint, secret, '2025-03-26');
  const single = await send(ada.endpoint, secret, { session, body: call('single') });
  const batch = await send(ada.endpoint, secret, { session, body: [call('batch')] });
  await wait(500);

  expect([single.status, batch.status]).toEqual([202, 202]);
  expect([...ends.keys()]).toEqual([]);
});

test('each message of a batch counts as a call (decisions 5)', async () => {
  const eve = await createKeyHolder(world, gateway);
  await eve.select(['calculator']);
  const key = (await eve.createKey()).secret;
  const session = await openSession(eve.endpoint, key, '2025-03-26');
  const calls = Array.from({ length: 50 }, (_, id) =>
    request('tools/call', { name: 'calculator', arguments: { expression: '1' } }, id),
  );
  // A new minute between the two batches would admit more.
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 8_000) await wait(left);
  const post = async () =>
    (await (await send(eve.endpoint, key, { session, body: calls })).json()) as AnswerBody[];
  const answers = [...(await post()), ...(await post())];

  expect(answers.filter(({ result }) => result.isError !== true)).toHaveLength(60);
});

describe('a forged session id', () => {
  test.each([':seen', ':streams', ':', '}', '/../x', '\u00e9'])(
    'that extends a real one with %j gets a 404 or 400 (rel:B3-20)',
    async (tail) => {
      const session = `${await openSession(ada.endpoint, secret)}${tail}`;
      const { status } = await send(ada.endpoint, secret, { session, body: ping });

      expect([400, 404]).toContain(status);
    },
  );

  test('gets the same 404 as the id of another key, for DELETE, GET, POST and initialize (rel:B3-21)', async () => {
    const session = await openSession(ada.endpoint, secret);
    const other = (await ada.createKey()).secret;
    const texts = await Promise.all(
      [session, 'A'.repeat(32)].map(async (id) => {
        const answers = [
          await send(ada.endpoint, other, { method: 'DELETE', session: id }),
          await send(ada.endpoint, other, { method: 'GET', session: id }),
          await send(ada.endpoint, other, { session: id, body: ping }),
          await send(ada.endpoint, other, { session: id, body: initializeBody() }),
        ];
        expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
        return Promise.all(answers.map((answer) => answer.text()));
      }),
    );

    expect(texts[0]).toEqual(texts[1]);
    expect((await send(ada.endpoint, secret, { session, body: ping })).status).toBe(200);
  });
});

test("a response from another session to a tool's request is ignored (rel:B3-6)", async () => {
  const session = await openSession(ada.endpoint, secret);
  const second = await openSession(ada.endpoint, secret);
  const other = (await ada.createKey()).secret;
  const foreign = await openSession(ada.endpoint, other);
  const events = eventReader(
    await send(ada.endpoint, secret, { session, body: request('tools/call', { name: 'asking' }) }),
  );
  let received: { id?: string; method?: string } = {};
  while (received.method !== 'roots/list') {
    const { data } = (await events.next())!;
    if (data !== '') received = JSON.parse(data) as typeof received;
  }
  const answer = (uri: string) => ({
    jsonrpc: '2.0',
    id: received.id,
    result: { roots: [{ uri }] },
  });
  await send(ada.endpoint, secret, { session: second, body: answer('file:///second') });
  await send(ada.endpoint, other, { session: foreign, body: answer('file:///foreign') });
  await send(ada.endpoint, secret, { session, body: answer('file:///own') });
  const answered = await events.next();

  expect(answered!.data).toContain('file:///own');
});
