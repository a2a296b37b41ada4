import { afterAll, expect, onTestFinished, test } from 'vitest';
import { connectUpstream } from '../../../src/content/upstreams/connection.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import { events, json, result, startHostile, tool } from '../../support/upstreams/hostile.ts';

const outbound = createOutbound({ allow: ['127.0.0.1'] });
const options = { signal: new AbortController().signal, timeoutMs: 10_000 };
afterAll(() => outbound.close());

type Behavior = Parameters<typeof startHostile>[0];
type Answer = Behavior[string];

const in2026: Behavior = {
  'server/discover': (request, response) =>
    json(
      response,
      result(request, {
        ...{ resultType: 'complete', supportedVersions: ['2026-07-28'] },
        ...{ capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' },
      }),
    ),
  'tools/list': (request, response) =>
    json(
      response,
      result(request, {
        ...{ resultType: 'complete', ttlMs: 0, cacheScope: 'private' },
        tools: [tool('any'), tool('marked', { inputSchema: marked }), tool('näme')],
      }),
    ),
};
const marked = { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } };

async function connectTo(behavior: Behavior) {
  const upstream = await startHostile(behavior);
  onTestFinished(upstream.close);
  const address = { space_id: 'space', url: upstream.url, headers: {} };
  const connection = await connectUpstream(address, outbound);
  onTestFinished(connection.close);
  return { upstream, connection };
}

const event = (data: unknown, id?: string) =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
const complete = (value: string) => ({ resultType: 'complete', ...text(value) });

test('a stream that ends before the response is resumed after its last event', async () => {
  let call: unknown;
  const { upstream, connection } = await connectTo({
    'tools/call': (request, response) => {
      call = request;
      events(response).end('id: e1\ndata:\n\n');
    },
    // A GET has no body, and so no method.
    '': (_request, response) =>
      void events(response).end(
        event(result(call as { id: unknown } as never, text('late')), 'e2'),
      ),
  });

  expect(await connection.call('any', {}, options)).toEqual(text('late'));
  expect(upstream.seen.at(-1)!.headers['last-event-id']).toBe('e1');
});

test('a stream without event ids that ends before the response fails at once', async () => {
  const { connection } = await connectTo({
    'tools/call': (_request, response) => void events(response).end(': nothing\n\n'),
  });

  await expect(connection.call('any', {}, options)).rejects.toMatchObject({
    message: 'The upstream MCP server sent an invalid MCP response.',
  });
});

test('an upstream of 2025 learns that a call was cancelled', async () => {
  let id: unknown;
  const cancelled = Promise.withResolvers<unknown>();
  const { upstream, connection } = await connectTo({
    'tools/call': (request) => void (id = request.id),
    'notifications/cancelled': (request, response) => {
      cancelled.resolve(request.params['requestId']);
      response.writeHead(202).end();
    },
  });
  const controller = new AbortController();
  const call = connection.call('any', {}, { ...options, signal: controller.signal });
  await expect.poll(() => id).toBeDefined();

  controller.abort(new Error('left'));

  await expect(call).rejects.toThrow('left');
  expect(await cancelled.promise).toBe(id);
  await expect.poll(upstream.open).toBe(0);
});

test('a change that is announced on the stream of a call makes the connection stale', async () => {
  const { connection } = await connectTo({
    initialize: (request, response) =>
      json(
        response,
        result(request, {
          protocolVersion: '2025-11-25',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'changing', version: '1' },
        }),
      ),
    '': (_request, response) => void response.writeHead(405).end(),
    'tools/call': (request, response) =>
      void events(response).end(
        event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }) +
          event(result(request, text('done'))),
      ),
  });

  expect(await connection.call('any', {}, options)).toEqual(text('done'));
  await expect.poll(connection.isStale).toBe(true);
});

const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
const unknownMember = { type: 'text', text: 'x', surprise: 1 };

test.each<[string, content: object[], expected: object[] | null]>([
  ['an image', [image], [image]],
  ['a member of no version, which is left out', [unknownMember], [{ type: 'text', text: 'x' }]],
  ['an image without a type', [{ type: 'image', data: 'aGk=' }], null],
  ['text that is a number', [{ type: 'text', text: 1 }], null],
])('content is validated: %s', async (_name, content, expected) => {
  const { connection } = await connectTo({
    'tools/call': (request, response) => json(response, result(request, { content })),
  });

  const answer = await connection.call('any', {}, options).catch(() => null);

  expect(answer).toEqual(expected === null ? null : { content: expected });
});

const answer2026 = (value: object): Behavior => ({
  ...in2026,
  'tools/call': (request, response) => json(response, result(request, value)),
});

test('a result in 2026’s protocol must be complete', async () => {
  const { connection } = await connectTo(answer2026(complete('done')));
  expect(await connection.call('any', {}, options)).toEqual(text('done'));

  const { connection: other } = await connectTo(answer2026(text('done')));
  await expect(other.call('any', {}, options)).rejects.toMatchObject({ code: 'upstream_error' });
});

test('a refusal with HTTP 400 in 2026’s protocol is its error', async () => {
  const refusal: Answer = (request, response) =>
    json(
      response,
      { jsonrpc: '2.0', id: request.id, error: { code: -32020, message: 'headers differ' } },
      400,
    );
  const { connection } = await connectTo({ ...in2026, 'tools/call': refusal });

  await expect(connection.call('any', {}, options)).rejects.toMatchObject({
    message: 'The upstream MCP server returned an error: headers differ',
    details: { code: -32020 },
  });
});

test('names and marked arguments are repeated in headers, encoded where they must be', async () => {
  const { upstream, connection } = await connectTo(answer2026(complete('done')));
  const headersOf = async (name: string, input: object) => {
    await connection.call(name, input, options);
    return upstream.seen.at(-1)!.headers;
  };

  expect(await headersOf('any', {})).toMatchObject({
    ...{ 'mcp-name': 'any', 'mcp-method': 'tools/call', 'mcp-protocol-version': '2026-07-28' },
  });
  expect(await headersOf('marked', { city: 'Bern' })).toMatchObject({ 'mcp-param-city': 'Bern' });
  expect(await headersOf('näme', {})).toMatchObject({ 'mcp-name': '=?base64?bsOkbWU=?=' });
});
