import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld } from '../../support/worlds/world.ts';
import type { World } from '../../support/worlds/world.ts';

let world: World;
let url: URL;
beforeAll(async () => {
  world = await createWorld();
  url = new URL((await world.gateway()).url);
});
afterAll(() => world.close());

const begun = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\n';
const lines = Array.from({ length: 20 }, (_, at) => `X-Line: ${at}\r\n`);
const slowHeaders: [what: string, pieces: readonly string[]][] = [
  ['empty', []],
  ['incomplete', [begun]],
  ['a line every two seconds', [begun, ...lines]],
];

test.concurrent.each(slowHeaders)(
  'a slow request head (%s) is refused with a 408 at its deadline of ten seconds (reliability 1.2, rel:B7-1)',
  async (_what, pieces) => {
    const began = performance.now();
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

    const seconds = (performance.now() - began) / 1_000;
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
    expect(seconds).toBeGreaterThan(9.9);
    // Node's own check runs every half minute and would find it later.
    expect(seconds).toBeLessThan(20);
  },
  40_000,
);
