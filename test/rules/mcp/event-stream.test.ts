import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openEventStream } from '../../../src/mcp/event-stream.ts';
import type { EventStream } from '../../../src/mcp/event-stream.ts';

const event = { data: 'x'.repeat(8_000_000) };

/** A stream and who reads it. */
async function streamed() {
  const opened = Promise.withResolvers<{ stream: EventStream; response: ServerResponse }>();
  const server = createServer((_request, response) => {
    opened.resolve({ stream: openEventStream(response, { maxWaitingBytes: null }), response });
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

test('however often a stream waits for its reader, nobody is left listening to it', async () => {
  const { stream, response, reader } = await streamed();
  reader.resume();
  const before = ['drain', 'close'].map((name) => response.listenerCount(name));

  for (let at = 0; at < 12; at += 1) {
    stream.send(event);
    expect(response.writableLength).toBeGreaterThan(64 * 1024);
    await stream.drained(10_000);
  }

  expect(['drain', 'close'].map((name) => response.listenerCount(name))).toEqual(before);
  expect(stream.isOpen).toBe(true);
});

test('a reader that takes nothing in its time loses the stream', async () => {
  const { stream, response } = await streamed();
  stream.send(event);

  await stream.drained(50);

  expect(response.destroyed).toBe(true);
  await expect.poll(() => stream.isOpen).toBe(false);
});
