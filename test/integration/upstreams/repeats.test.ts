import { afterAll, expect, onTestFinished, test } from 'vitest';
import { connectUpstream } from '../../../src/content/upstreams/connection.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import { events, json, result, startHostile } from '../../support/upstreams/hostile.ts';

const outbound = createOutbound({ allow: ['127.0.0.1'] });
const options = { signal: new AbortController().signal, timeoutMs: 5_000 };
const token = 'tk-41c5b7';
afterAll(() => outbound.close());

async function connectTo(bad: Parameters<typeof startHostile>[0]) {
  const upstream = await startHostile(bad);
  onTestFinished(upstream.close);
  const address = {
    space_id: 'space',
    url: upstream.url,
    headers: { authorization: `Bearer ${token}` },
  };
  const connection = await connectUpstream(address, outbound);
  onTestFinished(connection.close);
  return connection;
}

test('secrets that an upstream repeats are not passed on (rel:P15)', async () => {
  const sentText = `sent: Bearer ${token}, ${token}`;
  const connection = await connectTo({
    'tools/call': (request, response) => {
      const { progressToken } = request.params['_meta'] as { progressToken: unknown };
      const messages = [
        {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken, progress: 1, message: sentText },
        },
        result(request, {
          content: [{ type: 'text', text: sentText }],
          structuredContent: { [token]: [sentText] },
        }),
      ];
      events(response).end(
        messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join(''),
      );
    },
  });
  const received: (string | undefined)[] = [];

  const answer = await connection.call(
    'any',
    {},
    {
      ...options,
      onProgress: ({ message }) => void received.push(message),
    },
  );

  const clean = 'sent: [secret], [secret]';
  expect(answer).toEqual({
    content: [{ type: 'text', text: clean }],
    structuredContent: { '[secret]': [clean] },
  });
  expect(received).toEqual([clean]);
});

test('an error that repeats only the token is passed on without it', async () => {
  const connection = await connectTo({
    'tools/call': ({ id }, response) =>
      json(response, { jsonrpc: '2.0', id, error: { code: -32000, message: `no: ${token}` } }),
  });

  await expect(connection.call('any', {}, options)).rejects.toMatchObject({
    message: expect.stringMatching(/no: \[secret\]$/) as string,
  });
});

test('half a surrogate pair in a result becomes U+FFFD, since clients refuse it in JSON', async () => {
  const connection = await connectTo({
    'tools/call': (request, response) =>
      json(response, result(request, { content: [{ type: 'text', text: 'cut: \ud83d' }] })),
  });

  const { content } = await connection.call('any', {}, options);

  expect(content).toEqual([{ type: 'text', text: 'cut: \ufffd' }]);
});
