import { randomUUID } from 'node:crypto';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { createSignals } from '../../../../src/mcp/legacy/exchanges/signals.ts';
import type { Signal } from '../../../../src/mcp/legacy/exchanges/signals.ts';
import { createLog } from '../../../../src/platform/observability/log.ts';
import { createRedis } from '../../../../src/platform/redis/redis.ts';

test('malformed signals are ignored, and the next valid one is received', async () => {
  const redis = createRedis(inject('redisUrl'), `t${randomUUID().slice(0, 8)}:`, () => {});
  onTestFinished(() => redis.close());
  const signals = createSignals(redis, createLog('silent'));
  const received: Signal[] = [];
  await signals.listen('session', (signal) => void received.push(signal));

  for (const text of ['no json', '', 'null', '{"type":"other"}'])
    await redis.commands.publish(`${redis.prefix}session:sig`, text);
  await signals.publish('session', { type: 'end' });

  await vi.waitFor(() => expect(received).toEqual([{ type: 'end' }]));
});
