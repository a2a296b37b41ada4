import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { gateway } = await useGateway();
const url = new URL(gateway.url);

const requestStart = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\n';
const lines = Array.from({ length: 20 }, (_, index) => `X-Line: ${index}\r\n`);
const slowHeaders: [what: string, pieces: readonly string[]][] = [
  ['empty', []],
  ['incomplete', [requestStart]],
  ['a line every two seconds', [requestStart, ...lines]],
];

test.concurrent.each(slowHeaders)(
  'slow request headers (%s) get a 408 at the ten-second deadline (reliability 1.2, rel:B7-1)',
  async (_what, pieces) => {
    const startedAt = performance.now();
    const socket = connect(Number(url.port), url.hostname).on('error', () => {});
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    const closed = once(socket, 'close');
    const over = new AbortController();
    const sending = (async () => {
      for (const piece of pieces) {
        if (over.signal.aborted) return;
        socket.write(piece);
        await pause(2_000, null, { signal: over.signal }).catch(() => {});
      }
    })();

    await closed;
    over.abort();
    await sending;

    const seconds = (performance.now() - startedAt) / 1_000;
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
    expect(seconds).toBeGreaterThan(9.9);
    // Node's own check runs only every half minute and would close the connection later.
    expect(seconds).toBeLessThan(20);
  },
  40_000,
);
