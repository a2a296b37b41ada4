import { afterAll, expect, onTestFinished, test } from 'vitest';
import { connectUpstream } from '../../../src/content/upstreams/connection.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import {
  endlessly,
  events,
  json,
  result,
  startHostile,
  tool,
} from '../../support/upstreams/hostile.ts';

const outbound = createOutbound({ allow: ['127.0.0.1'] });
const signal = new AbortController().signal;
const secret = 'a-very-secret-value';
// Imported in advance, since the first connection has a short deadline here.
await import('@modelcontextprotocol/client');
afterAll(() => outbound.close());

type Behavior = Parameters<typeof startHostile>[0];
type Answer = Behavior[string];

async function connectTo(behavior: Behavior, openingMs = 10_000) {
  const upstream = await startHostile(behavior);
  onTestFinished(upstream.close);
  const address = { space_id: 'space', url: upstream.url, headers: { 'x-token': secret } };
  return { upstream, connecting: connectUpstream(address, outbound, openingMs) };
}

const onConnect = (answer: Answer): Behavior => ({ 'server/discover': answer, initialize: answer });
const nested = `${'['.repeat(500_000)}${']'.repeat(500_000)}`;
const onToolsList = (answer: (page: number) => object): Behavior => {
  let page = 0;
  return {
    'tools/list': (request, response) => json(response, result(request, answer((page += 1)))),
  };
};

test.each<[string, Behavior, RegExp]>([
  [
    'a web page',
    onConnect((_request, r) => void r.setHeader('content-type', 'text/html').end('<p>')),
    /invalid MCP response/,
  ],
  ['invalid JSON', onConnect((_request, r) => json(r, '{"jsonrpc":')), /invalid MCP response/],
  [
    'JSON that is not a message',
    onConnect((_request, r) => json(r, [1, 'two'])),
    /invalid MCP response/,
  ],
  ['HTTP 500', onConnect((_request, r) => json(r, {}, 500)), /HTTP 500/],
  ['HTTP 401', onConnect((_request, r) => json(r, {}, 401)), /Check the headers/],
  [
    'a redirect',
    onConnect((_request, r) => void r.writeHead(307, { location: 'http://10.0.0.1/' }).end()),
    /redirect/,
  ],
  [
    'an endless stream',
    onConnect((_request, r) => endlessly(events(r), ': x\n'.repeat(10_000))),
    /larger than|in time|invalid MCP response/,
  ],
  [
    'one endless line',
    onConnect((_request, r) => endlessly(events(r), 'x'.repeat(65_536))),
    /larger than|in time|invalid MCP response/,
  ],
  [
    'a future version',
    {
      initialize: (request, r) =>
        json(
          r,
          result(request, {
            protocolVersion: '2999-01-01',
            capabilities: {},
            serverInfo: { name: 'a', version: '1' },
          }),
        ),
    },
    /invalid MCP response/,
  ],
  ['invalid tools', onToolsList(() => ({ tools: [1, { name: 7 }] })), /invalid MCP response/],
  [
    'tools nested half a million deep',
    {
      'tools/list': (_request, r) =>
        json(
          r,
          `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object","x":${nested}}}]}}`,
        ),
    },
    /nested too deeply/,
  ],
  [
    '501 tools',
    onToolsList(() => ({ tools: Array.from({ length: 501 }, (_, index) => tool(`t${index}`)) })),
    /more than 500 tools/,
  ],
  [
    'pages without end',
    onToolsList((page) => ({ tools: [tool(`t${page}`)], nextCursor: 'again' })),
    /more than 500 tools/,
  ],
  [
    'empty pages without end',
    onToolsList((page) => ({ tools: [], nextCursor: String(page) })),
    /more than 500 tools/,
  ],
  [
    '3 MB of tools on small pages',
    onToolsList((page) => ({
      tools: [tool(`t${page}`, { description: 'x'.repeat(300_000) })],
      nextCursor: 'more',
    })),
    /more than 2 MB/,
  ],
  [
    '5 MB in addition to its tools',
    onToolsList((page) => ({
      tools: [],
      _meta: { padding: 'x'.repeat(1_000_000) },
      nextCursor: String(page),
    })),
    /more than 4 MB to list/,
  ],
  [
    'many unsolicited messages',
    {
      'tools/list': (_request, r) =>
        void events(r).write(
          'data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n'.repeat(3_000),
        ),
    },
    /too many values/,
  ],
  [
    '3 MB of tools at once',
    onToolsList(() => ({ tools: [tool('t', { description: 'x'.repeat(3_000_000) })] })),
    /larger than/,
  ],
  [
    'two tools with the same name',
    onToolsList(() => ({ tools: [tool('t'), tool('t')] })),
    /two tools with the same name/,
  ],
  [
    'only JSON structure',
    { 'tools/list': (_request, r) => json(r, `[${'{},'.repeat(500_000)}{}]`) },
    /too many values/,
  ],
  [
    'only JSON structure behind a quotation mark',
    onConnect((_request, r) => void events(r).end(`: "\ndata: [${'{},'.repeat(500_000)}{}]\n\n`)),
    /too many values|invalid MCP response|in time/,
  ],
  [
    'a refusal that repeats the secret',
    {
      'tools/list': (request, r) =>
        json(r, {
          jsonrpc: '2.0',
          id: request.id,
          error: { code: -32000, message: `no: ${secret}` },
        }),
    },
    /returned an error: .*no: \[secret\]$/,
  ],
])(
  'an upstream that responds with %s causes an upstream error in time',
  async (_name, behavior, message) => {
    const { upstream, connecting } = await connectTo(behavior, 1_000);

    const error: unknown = await connecting.catch((reason: unknown) => reason);

    expect(error).toMatchObject({ name: 'ToolFailure', code: 'upstream_error' });
    expect((error as Error).message).toMatch(message);
    expect(JSON.stringify(error) + (error as Error).message).not.toContain(secret);
    await expect.poll(upstream.open).toBe(0);
  },
);

test('an upstream that does not respond causes a timeout error', async () => {
  const { upstream, connecting } = await connectTo(
    onConnect(() => undefined),
    200,
  );

  await expect(connecting).rejects.toMatchObject({
    message: 'The upstream MCP server did not respond in time.',
  });
  await expect.poll(upstream.open).toBe(0);
});

const flood = (count: number, message: (index: number) => object) =>
  Array.from({ length: count }, (_, i) => `data: ${JSON.stringify(message(i))}\n\n`).join('');

test.each<[string, Answer]>([
  ['invalid JSON', (_request, r) => json(r, 'nothing')],
  [
    'another call’s id',
    (request, r) => json(r, { ...result(request, { content: [] }), id: 9_999 }),
  ],
  ['invalid content', (request, r) => json(r, result(request, { content: [{ type: 'grant' }] }))],
  ['a string as content', (request, r) => json(r, result(request, { content: 'text' }))],
  [
    'a result of 2 MB',
    (request, r) =>
      json(r, result(request, { content: [{ type: 'text', text: 'x'.repeat(2_000_000) }] })),
  ],
  [
    'structured content of 2 MB',
    (request, r) =>
      json(r, result(request, { content: [], structuredContent: { x: 'x'.repeat(2_000_000) } })),
  ],
  [
    'half a million levels',
    (request, r) =>
      json(
        r,
        `{"jsonrpc":"2.0","id":${String(request.id)},"result":{"content":[],"structuredContent":{"a":${nested}}}}`,
      ),
  ],
  ['a stream that ends', (_request, r) => void events(r).end(': nothing\n\n')],
  ['a stream without end', (_request, r) => endlessly(events(r), ': x\n'.repeat(10_000))],
  ['a stream that stays open', (_request, r) => void events(r).write(': wait\n\n')],
  ['HTTP 404', (_request, r) => json(r, {}, 404)],
  [
    'an error',
    (request, r) =>
      json(r, { jsonrpc: '2.0', id: request.id, error: { code: -1, message: 'x'.repeat(9_999) } }),
  ],
])('a call whose response is %s causes an upstream error in time', async (_name, answer) => {
  const { upstream, connecting } = await connectTo({ 'tools/call': answer });
  const connection = await connecting;

  const error: unknown = await connection
    .call('any', {}, { signal, timeoutMs: 500 })
    .catch((reason: unknown) => reason);

  expect(error).toMatchObject({ name: 'ToolFailure', code: 'upstream_error' });
  expect((error as Error).message.length).toBeLessThan(600);
  await connection.close();
  await expect.poll(upstream.open).toBe(0);
});

test('an upstream that sends endless requests gets about a hundred responses before its connection is given up', async () => {
  const { upstream, connecting } = await connectTo({
    'tools/call': (request, response) => {
      events(response).write(
        flood(1_000, (id) => ({
          jsonrpc: '2.0',
          id: `q${id}`,
          method: 'sampling/createMessage',
          params: {},
        })),
      );
      response.end(flood(1, () => result(request, { content: [] })));
    },
  });
  const connection = await connecting;
  const before = upstream.seen.length;

  await connection.call('any', {}, { signal, timeoutMs: 5_000 });

  expect(connection.isStale()).toBe(true);
  await connection.close();
  await expect.poll(upstream.open).toBe(0);
  expect(upstream.seen.length - before).toBeLessThanOrEqual(102);
});

test('response streams that are left open do not accumulate', async () => {
  const { upstream, connecting } = await connectTo({
    'tools/call': (request, response) => {
      events(response).write(flood(1, () => result(request, { content: [] })));
    },
  });
  const connection = await connecting;
  const calls = Array.from({ length: 70 }, () =>
    connection.call('any', {}, { signal, timeoutMs: 5_000 }),
  );

  const outcomes = await Promise.allSettled(calls);

  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThanOrEqual(6);
  expect(upstream.open()).toBeLessThanOrEqual(64);
  await connection.close();
  await expect.poll(upstream.open).toBe(0);
});
