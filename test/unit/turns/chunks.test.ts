import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from 'vitest';
import { createHttpServer } from '../../../src/gateway/http/server.ts';
import { readBody } from '../../../src/platform/http/body.ts';
import { noTracing } from '../../../src/platform/observability/tracing.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import type { ChunkSender } from '../../support/clients/chunk-sender.ts';
import { heldShare } from '../../support/longest-turn.ts';

const senders: Worker[] = [];
afterAll(() => Promise.all(senders.map((sender) => sender.terminate())));

/** Starts a sender, and returns its first message. */
async function send(workerData: ChunkSender): Promise<unknown> {
  const sender = new Worker(new URL('../../support/clients/chunk-sender.ts', import.meta.url), {
    workerData,
  });
  senders.push(sender);
  const [message] = await once(sender, 'message');
  return message;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const reading: Handler = async (request, response) => {
  const answer = await readBody(request).then(
    ({ length }) => String(length),
    ({ code }: { code: string }) => code,
  );
  response.end(answer);
};
const ignoring: Handler = async (_request, response) => void response.end('not read');

async function serve(handle: Handler) {
  const server = createHttpServer((request, response) => void handle(request, response), noTracing);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const head = 'POST / HTTP/1.1\r\nHost: localhost';
  return {
    post: (chunks: number) => send({ port, head, chunks }),
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

test.each<[name: string, handle: Handler]>([
  ['is read', reading],
  ['is not read', ignoring],
])(
  'a body of many chunks holds the event loop no longer than one turn if it %s',
  async (...one) => {
    const { post, close } = await serve(one[1]);
    expect(await post(10)).toMatch(/^HTTP\/1.1 200 /);

    expect(await heldShare(() => post(2_000_000))).toBeLessThan(1);

    await close();
  },
);

test('a body has at most 4 096 chunks', async () => {
  const { post, close } = await serve(reading);

  expect(await post(4_096)).toMatch(/4096$/);
  expect(await post(4_097)).toMatch(/body_too_large$/);

  await close();
});

test('a response of many chunks holds the event loop no longer than one turn', async () => {
  const outbound = createOutbound({ allow: ['127.0.0.1'] });
  const head = 'HTTP/1.1 200 OK\r\nConnection: close';
  const fetch = async (chunks: number) => {
    const port = await send({ port: null, head, chunks });
    const url = `http://127.0.0.1:${String(port)}/`;
    const response = () => outbound.fetch({ url, timeoutMs: 20_000, maxBytes: 2_097_152 });
    return { response };
  };
  const [most, more, many] = [await fetch(16_384), await fetch(16_385), await fetch(2_000_000)];

  expect((await most.response()).body).toHaveLength(16_384);
  await expect(more.response()).rejects.toMatchObject({ code: 'invalid_response' });
  expect(await heldShare(() => many.response().catch(() => {}))).toBeLessThan(1);

  await outbound.close();
});
