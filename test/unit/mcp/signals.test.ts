import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { createSignals } from '../../../src/mcp/legacy/exchanges/signals.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { freePort } from '../../support/servers/free-port.ts';

test('a request does not wait for an unavailable Redis subscriber (rel:F-R2)', async () => {
  const subscriber = new Redis(await freePort(), '127.0.0.1', { maxRetriesPerRequest: null });
  subscriber.on('error', () => {});
  onTestFinished(() => subscriber.disconnect());
  const link = { commands: subscriber, subscriber, prefix: '', ready: async () => {} };
  const signals = createSignals({ ...link, close: async () => {} }, createLog('silent'));

  const stopListening = await signals.listen('a session', () => {});

  expect(stopListening).toBeInstanceOf(Function);
  expect(subscriber.status).not.toBe('ready');
});
