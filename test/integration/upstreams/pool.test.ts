import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '../../../src/content/upstreams/pool.ts';
import type { PooledUpstream } from '../../../src/content/upstreams/pool.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import { startSdkV1 } from '../../support/upstreams/sdk-v1.ts';
import type { SdkUpstream } from '../../support/upstreams/sdk-v1.ts';

const outbound = createOutbound({ allow: ['127.0.0.1'] });
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const neverAborted = new AbortController().signal;
let upstream: SdkUpstream;
beforeAll(async () => {
  upstream = await startSdkV1();
});
afterAll(async () => {
  await upstream.close();
  await outbound.close();
});

function createTestPool(timings = { idleMs: 60_000, lifeMs: 300_000 }) {
  const opened: string[][] = [];
  const pool = createPool({
    outbound,
    async onOpened(_upstream, tools) {
      opened.push(tools.map(({ description }) => description));
    },
    timings,
  });
  const callEcho = (text = 'x', change: Partial<PooledUpstream> = {}) =>
    pool.run({ ...address(), ...change }, (connection) =>
      connection.call('echo', { text }, { signal: neverAborted, timeoutMs: 5_000 }),
    );
  return { pool, callEcho, opened };
}
const address = (): PooledUpstream => ({
  id: 'one',
  space_id: 'ada',
  version: 1,
  url: upstream.url,
  headers: {},
});

test('calls to one upstream share a connection; another version of the upstream has its own', async () => {
  const { pool, callEcho, opened } = createTestPool();

  await Promise.all([callEcho('a'), callEcho('b'), callEcho('c')]);
  await callEcho('d');
  expect(opened).toHaveLength(1);
  await callEcho('e', { version: 2 });

  expect(opened).toHaveLength(2);
  await pool.close();
  await expect.poll(upstream.open).toBe(0);
});

test('a session lost by the upstream is reopened, and the call succeeds', async () => {
  const { pool, callEcho, opened } = createTestPool();
  await callEcho();
  upstream.forget();

  expect(await callEcho('again')).toMatchObject({ structuredContent: { said: 'again' } });

  expect(opened).toHaveLength(2);
  await pool.close();
});

test('after the upstream announces changed tools, the next call uses the new ones', async () => {
  const { pool, callEcho, opened } = createTestPool();
  await callEcho();
  upstream.tools['echo']!.description = 'Says it louder.';
  upstream.announce();

  await expect.poll(async () => callEcho().then(() => opened.length)).toBe(2);

  expect(opened[1]![0]).toBe('Says it louder.');
  await pool.close();
});

test('an expired connection gets no new calls, and an idle one is closed', async () => {
  const old = createTestPool({ idleMs: 60_000, lifeMs: 0 });
  await old.callEcho();
  await old.callEcho();
  expect(old.opened).toHaveLength(2);
  await old.pool.close();

  const idle = createTestPool({ idleMs: 10, lifeMs: 300_000 });
  await idle.callEcho();
  await expect.poll(upstream.open).toBe(0);
  await idle.pool.close();
});

test('a call is not made if its connection’s tools cannot be processed', async () => {
  const refusal = new Error('no database');
  const pool = createPool({ outbound, onOpened: () => Promise.reject(refusal) });
  let isCalled = false;

  const call = pool.run(address(), async () => void (isCalled = true));

  await expect(call).rejects.toBe(refusal);
  expect(isCalled).toBe(false);
  await expect.poll(upstream.open).toBe(0);
});

test('an account uses at most twenty upstreams at a time, and leaves room for others', async () => {
  const { pool, callEcho } = createTestPool();
  const many = Array.from({ length: 21 }, (_, index) => callEcho('x', { id: `upstream ${index}` }));

  const outcomes = await Promise.allSettled(many);

  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
  expect(outcomes.at(-1)).toMatchObject({ reason: { code: 'upstream_error' } });
  await expect(callEcho('x', { space_id: 'grace', id: 'other' })).resolves.toBeDefined();
  await pool.close();
  await expect.poll(upstream.open).toBe(0);
});

test('a closed connection is garbage collected, whether or not its upstream is used again', async () => {
  const { pool } = createTestPool({ idleMs: 10, lifeMs: 300_000 });
  const references: WeakRef<object>[] = [];
  for (const version of [1, 2])
    await pool.run({ ...address(), version }, async (connection) => {
      references.push(new WeakRef(connection));
    });

  await expect.poll(upstream.open).toBe(0);

  await expect
    .poll(() => {
      collectGarbage();
      return references.filter((reference) => reference.deref() !== undefined).length;
    })
    .toBe(0);
  await pool.close();
});

test('an idle connection is evicted to make room for another', async () => {
  const { pool, callEcho, opened } = createTestPool();
  for (let index = 0; index < 21; index += 1) await callEcho('x', { id: `upstream ${index}` });

  await callEcho('x', { id: 'upstream 20' });

  expect(opened).toHaveLength(21);
  await pool.close();
  await expect.poll(upstream.open).toBe(0);
});
