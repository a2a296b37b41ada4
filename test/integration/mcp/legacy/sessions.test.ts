import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { createKeyHolder } from '../key-holder.ts';
import { initializeBody, openSession, request, send } from './client.ts';

const { world, gateway } = await useGateway();
const otherGateway = await world.gateway();
const ada = await createKeyHolder(world, gateway);
const otherEndpoint = `${otherGateway.url}/mcp`;
await ada.select(['calculator', 'hash']);
const secret = (await ada.createKey()).secret;

const ping = request('ping');
const calculate = request('tools/call', {
  name: 'calculator',
  arguments: { expression: '6*7' },
});

describe.each(['2025-11-25', '2025-06-18', '2025-03-26'])('a %s session', (version) => {
  test('negotiates the requested version and serves calls', async () => {
    const answer = await send(ada.endpoint, secret, { body: initializeBody(version) });
    const session = answer.headers.get('mcp-session-id')!;
    const called = await send(otherEndpoint, secret, { session, version, body: calculate });

    expect(await answer.json()).toMatchObject({
      id: 0,
      result: {
        protocolVersion: version,
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
        },
        serverInfo: { name: 'toolgate' },
      },
    });
    expect(called.headers.get('content-type')).toBe('application/json');
    expect(await called.json()).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      result: { structuredContent: { result: 42 } },
    });
  });
});

describe('initialize', () => {
  test('an unknown version is replaced by the newest one (B3-8)', async () => {
    const answer = await send(ada.endpoint, secret, { body: initializeBody('2024-11-05') });

    expect(await answer.json()).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
  });

  test.each([
    ['without capabilities', { capabilities: undefined }],
    ['of more than 16 KB', { extra: 'x'.repeat(17_000) }],
    ['without a version', { protocolVersion: undefined }],
  ])('a request %s is refused with HTTP 200 (B3-9)', async (_what, change) => {
    const answer = await send(ada.endpoint, secret, { body: initializeBody(undefined, change) });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('mcp-session-id')).toBeNull();
    expect(await answer.json()).toMatchObject({ id: 0, error: { code: -32602 } });
  });

  test('a second initialize request in a session is refused (B3-7)', async () => {
    const session = await openSession(ada.endpoint, secret);
    const answer = await send(otherEndpoint, secret, { session, body: initializeBody() });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ id: 0, error: { code: -32600 } });
  });
});

describe('a session id', () => {
  test('is required (B3-20)', async () => {
    const answer = await send(ada.endpoint, secret, { body: ping });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32000 } });
  });

  test('is not found for another credential; the response is identical to that for an unknown session (B3-21)', async () => {
    const session = await openSession(ada.endpoint, secret);
    const sibling = await ada.createKey();
    const stranger = await createKeyHolder(world, gateway);
    const foreign = await stranger.createKey();
    const answers = await Promise.all([
      send(ada.endpoint, secret, { session: 'A'.repeat(32), body: ping }),
      send(ada.endpoint, secret, { session: 'unknown', body: ping }),
      send(ada.endpoint, sibling.secret, { session, body: ping }),
      send(otherEndpoint, foreign.secret, { session, body: ping }),
      send(otherEndpoint, foreign.secret, { session, body: request('tools/list') }),
      send(otherEndpoint, foreign.secret, {
        session,
        body: request('tools/call', { name: 'setup' }),
      }),
    ]);
    const texts = await Promise.all(answers.map((answer) => answer.text()));

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
    expect(new Set(texts)).toEqual(
      new Set(['{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Session not found"}}']),
    );
    expect((await send(ada.endpoint, secret, { session, body: ping })).status).toBe(200);
  });

  test('that names a key below a session is not found, like any unknown session (B3-21)', async () => {
    const session = await openSession(ada.endpoint, secret);
    const below = ['streams', 'seen', 'cancelled', 'x:1'].map((name) => `${session}:${name}`);
    await send(ada.endpoint, secret, { session, body: request('tools/list') });

    for (const one of below) {
      const answer = await send(ada.endpoint, secret, { session: one, body: ping });
      expect(answer.status).toBe(404);
    }
  });

  test('works only with its own version, or without a version header (B3-8)', async () => {
    const session = await openSession(ada.endpoint, secret, '2025-06-18');
    const statuses = await Promise.all(
      ['2025-06-18', '2025-11-25', '2020-01-01', undefined].flatMap((version) =>
        [ping, calculate].map(async (body) => {
          const answer = await send(ada.endpoint, secret, {
            session,
            body,
            ...(version === undefined ? {} : { version }),
          });
          return answer.status;
        }),
      ),
    );

    expect(statuses).toEqual([200, 200, 400, 400, 400, 400, 200, 200]);
  });

  test('is deleted with DELETE on every instance (B3-23)', async () => {
    const session = await openSession(ada.endpoint, secret);
    const sibling = await ada.createKey();
    await send(otherEndpoint, secret, { session, body: calculate });
    const foreign = await send(ada.endpoint, sibling.secret, { session, method: 'DELETE' });
    const ended = await send(ada.endpoint, secret, { session, method: 'DELETE' });
    const again = await send(otherEndpoint, secret, { session, method: 'DELETE' });
    const called = await send(otherEndpoint, secret, { session, body: calculate });

    expect([foreign.status, ended.status, again.status, called.status]).toEqual([
      404, 204, 404, 404,
    ]);
  });

  test('is rejected with 401 once its key is revoked (B3-22)', async () => {
    const key = await ada.createKey();
    const session = await openSession(ada.endpoint, key.secret);
    await ada.revoke(key.id);
    const answer = await send(otherEndpoint, key.secret, { session, body: ping });

    expect(answer.status).toBe(401);
  });
});

test('the 21st session of a key ends the least recently used one (B3-24)', async () => {
  const key = await ada.createKey();
  const first = await openSession(ada.endpoint, key.secret);
  const second = await openSession(ada.endpoint, key.secret);
  for (let opened = 2; opened < 20; opened += 1) await openSession(otherEndpoint, key.secret);
  await send(ada.endpoint, key.secret, { session: first, body: calculate });
  const newest = await openSession(ada.endpoint, key.secret);
  const statuses = await Promise.all(
    [first, second, newest].map(
      async (session) => (await send(otherEndpoint, key.secret, { session, body: ping })).status,
    ),
  );

  expect(statuses).toEqual([200, 404, 200]);
});

test('notifications and responses are accepted without a response body (B3-6)', async () => {
  const session = await openSession(ada.endpoint, secret);
  const other = await openSession(ada.endpoint, secret);
  const messages = [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'none' } },
    { jsonrpc: '2.0', id: 'unsolicited', result: {} },
  ];
  const answers = await Promise.all(
    messages.map((body) => send(otherEndpoint, secret, { session: other, body })),
  );

  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect((await send(ada.endpoint, secret, { session, body: ping })).status).toBe(200);
});

test('cancelling a request with an oversized id stores nothing in Redis', async () => {
  const session = await openSession(ada.endpoint, secret);
  const redis = new Redis(world.env['REDIS_URL']!);
  onTestFinished(() => redis.disconnect());
  for (const requestId of ['short', 'long'.repeat(100_000)])
    await send(otherEndpoint, secret, {
      session,
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
    });

  const [key] = await redis.keys(`${world.env['REDIS_PREFIX']}*:s:${session}:cancelled`);

  expect(await redis.lrange(key!, 0, -1)).toEqual(['"short"']);
});

test('an unknown method returns a JSON-RPC error (B3-7)', async () => {
  const session = await openSession(ada.endpoint, secret);
  const answer = await send(ada.endpoint, secret, { session, body: request('tools/paint') });

  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ error: { code: -32601 } });
});

describe('a batch', () => {
  test('gets one response per request in 2025-03-26', async () => {
    const version = '2025-03-26';
    const session = await openSession(ada.endpoint, secret, version);
    const body = [
      { ...ping, id: 'a' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { ...calculate, id: 'b' },
      request('tools/call', { name: 'nothing' }, 'c'),
    ];
    const answer = await send(otherEndpoint, secret, { session, version, body });

    expect(await answer.json()).toMatchObject([
      { id: 'a', result: {} },
      { id: 'b', result: { structuredContent: { result: 42 } } },
      { id: 'c', error: { code: -32601 } },
    ]);
  });

  test('is refused in sessions of other versions, and if it contains initialize (B3-5)', async () => {
    const session = await openSession(ada.endpoint, secret);
    const older = await openSession(ada.endpoint, secret, '2025-03-26');
    const answers = await Promise.all([
      send(ada.endpoint, secret, { session, body: [ping] }),
      send(ada.endpoint, secret, { session: older, body: [ping, initializeBody('2025-03-26')] }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect(await answers[0].json()).toMatchObject({ id: null, error: { code: -32600 } });
  });
});

test('a session outlives the instance that created it (B3-26)', async () => {
  const stopping = await world.gateway();
  const session = await openSession(`${stopping.url}/mcp`, secret);
  await stopping.service.close();
  const answer = await send(ada.endpoint, secret, { session, body: calculate });

  expect(await answer.json()).toMatchObject({ result: { structuredContent: { result: 42 } } });
});
