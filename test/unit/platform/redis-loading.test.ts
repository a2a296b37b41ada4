import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createRedis } from '../../../src/platform/redis/redis.ts';

/** Starts a Redis stub that estimates ten seconds for reading its data, but has read it at once. */
async function startLoading(): Promise<string> {
  let asked = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const commands = chunk.toString().match(/^\*\d+\r\n\$\d+\r\n(\w+)/gm) ?? [];
      for (const command of commands) socket.write(/info/i.test(command) ? info() : '+OK\r\n');
    });
  });
  const info = () => {
    asked += 1;
    const text = asked > 2 ? 'loading:0\r\n' : 'loading:1\r\nloading_eta_seconds:10\r\n';
    return `$${text.length}\r\n${text}\r\n`;
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a Redis that has read its data is used at once, whatever it estimated', async () => {
  const redis = createRedis(await startLoading(), '', () => {});
  onTestFinished(redis.close);

  await redis.ready(5_000);

  expect(redis.commands.status).toBe('ready');
});
