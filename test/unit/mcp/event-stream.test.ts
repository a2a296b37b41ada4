import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_WAITING_BYTES, openEventStream } from '../../../src/mcp/protocol/event-stream.ts';
import type { EventStream } from '../../../src/mcp/protocol/event-stream.ts';

const event = { data: 'x'.repeat(8_000_000) };

/** Opens an event stream and its reader. */
async function openStream(
  options: Parameters<typeof openEventStream>[1] = { maxWaitingBytes: null },
) {
  const opened = Promise.withResolvers<{ stream: EventStream; response: ServerResponse }>();
  const server = createServer((_request, response) => {
    opened.resolve({ stream: openEventStream(response, options), response });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  onTestFinished(() => {
    request.destroy();
    server.close();
  });
  const [reader] = (await once(request, 'response')) as [IncomingMessage];
  return { ...(await opened.promise), reader };
}

test('waiting for a slow reader leaves no listeners behind', async () => {
  const { stream, response, reader } = await openStream();
  reader.resume();
  const before = ['drain', 'close'].map((name) => response.listenerCount(name));

  for (let round = 0; round < 12; round += 1) {
    stream.send(event);
    expect(response.writableLength).toBeGreaterThan(64 * 1024);
    await stream.waitUntilDrained(10_000);
  }

  expect(['drain', 'close'].map((name) => response.listenerCount(name))).toEqual(before);
  expect(stream.isOpen).toBe(true);
});

test('the stream is closed if its reader does not read before the timeout', async () => {
  const { stream, response } = await openStream();
  stream.send(event);

  await stream.waitUntilDrained(50);

  expect(response.destroyed).toBe(true);
  await expect.poll(() => stream.isOpen).toBe(false);
});

test('a stream of changes ends when too many bytes are unsent (mcp.md 6)', async () => {
  const { stream, response } = await openStream({ maxWaitingBytes: MAX_WAITING_BYTES });
  let closed = 0;
  stream.onClose(() => void (closed += 1));

  let sent = 0;
  while (sent < 100_000 && stream.send({ data: 'x'.repeat(1_000) })) sent += 1;

  expect(sent).toBeGreaterThan(MAX_WAITING_BYTES / 2_000);
  expect(sent).toBeLessThan(100_000);
  expect([stream.isOpen, response.destroyed, closed]).toEqual([false, true, 1]);
});

test('an idle stream sends keep-alive comments', async () => {
  const { reader, stream } = await openStream({ maxWaitingBytes: null, keepAliveMs: 10 });
  let text = '';
  reader.on('data', (chunk: Buffer) => void (text += chunk.toString()));

  await expect.poll(() => text).toMatch(/^(?:: keep-alive\n\n){3,}$/);
  stream.end();
});
