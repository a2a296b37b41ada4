import type { ServerResponse } from 'node:http';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { Progress } from '../../../src/catalog/catalog.ts';
import { connectUpstream } from '../../../src/content/upstreams/connection.ts';
import { EventReader } from '../../../src/content/upstreams/event-reader.ts';
import { readChallenge } from '../../../src/content/upstreams/oauth/challenge.ts';
import { OpenResponses } from '../../../src/content/upstreams/open-responses.ts';
import { createUpstreamFetch } from '../../../src/content/upstreams/upstream-fetch.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import { events, json, result, startHostile } from '../../support/upstreams/hostile.ts';
import { listen } from '../../support/upstreams/server.ts';

const outbound = createOutbound({ allow: ['127.0.0.1'] });
const options = { signal: new AbortController().signal, timeoutMs: 10_000 };
afterAll(() => outbound.close());

type Behavior = Parameters<typeof startHostile>[0];

async function connectTo(behavior: Behavior) {
  const upstream = await startHostile(behavior);
  onTestFinished(upstream.close);
  const address = { space_id: 'space', url: upstream.url, headers: {} };
  const connection = await connectUpstream(address, outbound);
  onTestFinished(connection.close);
  return { upstream, connection };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

test('one line in thousands of chunks takes time in proportion to its length', () => {
  const messages: number[] = [];
  const reader = new EventReader(({ length }) => void messages.push(length));
  const chunk = Buffer.alloc(128, 'x');
  const start = threadMs();

  reader.read(Buffer.from('data: '));
  for (let count = 0; count < 16_000; count += 1) reader.read(chunk);
  reader.read(Buffer.from('\n\n'));

  expect(messages).toEqual([16_000 * 128]);
  // Joining it again with each chunk would copy sixteen gigabytes.
  expect(threadMs() - start).toBeLessThan(500);
});

test.each([
  ['one long word', `Bearer ${'a'.repeat(8_100)}`],
  ['a word and spaces', `Bearer ${'a'.repeat(4_000)}${' '.repeat(4_000)}`],
  ['quotation marks that never end', `Bearer ${'a="\\'.repeat(2_000)}`],
])('a challenge of %s is read at once', (_what, header) => {
  const start = threadMs();

  readChallenge(header);

  // Two hundred times as long as its length takes.
  expect(threadMs() - start).toBeLessThan(100);
});

test('interim responses without end are given up', async () => {
  const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000);
  const server = await listen((_request, response) => {
    const write = () => {
      while (!response.destroyed && response.socket!.write(interim));
      if (!response.destroyed) response.socket!.once('drain', write);
    };
    write();
  });
  onTestFinished(server.close);
  const request = { url: server.url, timeoutMs: 5_000, maxBytes: 1_000 };
  const nothing = { onHead: () => {}, onChunk: () => {} };

  const failures = await Promise.all(
    [outbound.fetch(request), outbound.open(request), outbound.receive(request, nothing).done].map(
      (sent) => Promise.resolve(sent).catch((error: unknown) => error),
    ),
  );

  expect(failures).toEqual(
    Array(3).fill(expect.objectContaining({ code: 'invalid_response', name: 'OutboundError' })),
  );
});

test('a few interim responses are passed over', async () => {
  const server = await listen((_request, response) => {
    response.writeProcessing();
    response.writeEarlyHints({ link: '</a>; rel=preload' });
    response.end('done');
  });
  onTestFinished(server.close);

  const { status, body } = await outbound.fetch({
    ...{ url: server.url, timeoutMs: 5_000, maxBytes: 1_000 },
  });

  expect([status, Buffer.from(body).toString()]).toEqual([200, 'done']);
});

test('bytes that are not valid UTF-8 count as what they become', async () => {
  const { connection } = await connectTo({
    'tools/call': (request, response) => {
      const whole = JSON.stringify(result(request, { content: [{ type: 'text', text: '|' }] }));
      const [before = '', after = ''] = whole.split('|');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        Buffer.concat([Buffer.from(before), Buffer.alloc(900_000, 0xff), Buffer.from(after)]),
      );
    },
  });

  await expect(connection.call('any', {}, options)).rejects.toThrow('larger than 1 MB');
});

test('progress that JSON could not repeat is left out', async () => {
  const { connection } = await connectTo({
    'tools/call': (request, response) => {
      const { progressToken } = request.params['_meta'] as { progressToken: number };
      const progress = (fields: string) =>
        `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${progressToken},${fields}}}\n\n`;
      events(response).end(
        progress('"progress":1e999') +
          progress('"progress":1,"total":1e999') +
          `data: ${JSON.stringify(result(request, { content: [] }))}\n\n`,
      );
    },
  });
  const reported: Progress[] = [];

  await connection.call('any', {}, { ...options, onProgress: (one) => void reported.push(one) });

  expect(reported).toEqual([{ progress: 1 }]);
});

test('a stream is reopened at most after a pause, whatever delay its server asks for', async () => {
  let opened = 0;
  const { connection } = await connectTo({
    initialize: (request, response) =>
      json(
        response,
        result(request, {
          protocolVersion: '2025-11-25',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'impatient', version: '1' },
        }),
      ),
    // More than a timer takes, which would fire at once.
    '': (_request, response: ServerResponse) => {
      opened += 1;
      events(response).end('retry: 4294967296\nid: e\ndata:\n\n');
    },
    'tools/call': (request, response) => json(response, result(request, { content: [] })),
  });
  await expect.poll(() => opened).toBeGreaterThan(0);

  for (let calls = 0; calls < 100; calls += 1) await connection.call('any', {}, options);

  expect(opened).toBe(1);
});

test('a status that no response can have fails, and its slot and body are released once', async () => {
  const server = await listen((_request, response) => {
    response.writeHead(600);
    response.write('begun');
  });
  onTestFinished(server.close);
  const open = new OpenResponses();
  const fetch = createUpstreamFetch(outbound, {
    ...{ fairnessKey: 'space', open },
    ...{
      listensForChanges: () => true,
      isListing: () => false,
      onBroken: () => {},
    },
  });

  for (let sent = 0; sent < 3; sent += 1)
    await expect(fetch(server.url, { method: 'POST' })).rejects.toThrow('HTTP 600');

  await expect.poll(server.open).toBe(0);
  for (let count = 0; count < 64; count += 1) open.add();
  expect(() => open.add()).toThrow('too many responses');
});
