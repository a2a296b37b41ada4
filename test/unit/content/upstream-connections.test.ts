import { expect, test } from 'vitest';
import { ConcurrentUpdate } from '../../../src/authz/authz.ts';
import { ToolDeleted } from '../../../src/catalog/tool-failure.ts';
import type { UpstreamConnection } from '../../../src/content/upstreams/connection.ts';
import { upstreamFailure } from '../../../src/content/upstreams/failure.ts';
import { PooledConnection } from '../../../src/content/upstreams/pooled-connection.ts';
import { unauthenticated, unavailable } from '../../../src/platform/errors/refusal.ts';

const own: [error: string, Error][] = [
  ['a revoked credential', unauthenticated('invalid_credential', 'The credential is not valid.')],
  ['an outage of authorization', unavailable('OpenFGA is unreachable')],
  ['authority that has changed', new ConcurrentUpdate()],
  ['a quarantined tool', new ToolDeleted('quarantined')],
  ['a protocol error of the upstream', upstreamFailure('returned an error', { code: -32602 })],
];

/** Returns whether a connection is usable after work on it failed. */
async function isUsableAfter(error: Error): Promise<boolean> {
  const opened = { isStale: () => false, close: async () => {} } as unknown as UpstreamConnection;
  const timings = { idleMs: 60_000, lifeMs: 60_000 };
  const connection = new PooledConnection(Promise.resolve(opened), timings, () => {});
  await expect(connection.use(() => Promise.reject(error))).rejects.toBe(error);
  const { isUsable } = connection;
  await connection.close();
  return isUsable;
}

test.each(own)('a call refused for %s leaves the connection to other callers', async (_, error) => {
  expect(await isUsableAfter(error)).toBe(true);
});

test('a call that failed on its connection makes the next call open a new one', async () => {
  expect(await isUsableAfter(upstreamFailure('did not respond in time.'))).toBe(false);
});
