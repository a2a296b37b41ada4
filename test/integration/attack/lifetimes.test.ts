import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createWorld } from '../../support/worlds/world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { ask, createKeyHolder } from '../mcp/key-holder.ts';
import { eventReader, openSession, request, send } from '../mcp/legacy/client.ts';

const world = await closeAfterTests(createWorld());
const [one, two] = [await world.gateway(), await world.gateway()];
const ada = await createKeyHolder(world, one);
await ada.select(['uuid']);

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

/**
 * Opens a session on one instance and its GET stream on the other; `ended` resolves with the time
 * at which the stream ended.
 */
async function openStream(secret: string) {
  const session = await openSession(`${one.url}/mcp`, secret);
  const answer = await send(`${two.url}/mcp`, secret, { method: 'GET', session });
  const events = eventReader(answer);
  const ended = (async () => {
    while ((await events.next()) !== null);
    return Date.now();
  })();
  return { session, ended };
}

describe('a stream ends within about a second', () => {
  test('after its key expires, and the session is rejected from then on (A3, rel:B3-22)', async () => {
    const expires_at = inSeconds(3);
    const { secret } = await ada.createKey({ expires_at });
    const { session, ended } = await openStream(secret);

    expect((await ended) - Date.parse(expires_at)).toBeLessThan(2_000);
    const later = await send(`${one.url}/mcp`, secret, { session, body: request('ping') });
    expect(later.status).toBe(401);
  });

  test('after an expiry that was set while the stream was open (A3, rel:B3-22)', async () => {
    const { id, secret } = await ada.createKey();
    const { ended } = await openStream(secret);
    const expires_at = inSeconds(2);
    await ada.person.ask({
      method: 'PATCH',
      path: `/api/keys/${id}`,
      body: { expires_at },
      headers: ada.bearer,
    });

    expect((await ended) - Date.parse(expires_at)).toBeLessThan(2_000);
  });
});

test('every call that begins after the response to a revocation is refused, on any instance (rel:P4)', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id, secret } = await ada.createKey();
    const calls: Promise<{ startedAt: number; status: number }>[] = [];
    const call = async ({ url }: Gateway) => {
      const startedAt = performance.now();
      const { status } = await ask(`${url}/mcp`, { 'x-api-key': secret }, 'tools/list');
      return { startedAt, status };
    };
    let revoked = Infinity;
    const revocation = wait(40)
      .then(() => ada.revoke(id))
      .then(() => (revoked = performance.now()));
    for (let n = 0; n < 40; n += 1) {
      calls.push(call(n % 2 === 0 ? one : two));
      await wait(4);
    }
    await revocation;
    calls.push(call(one), call(two));
    const late = (await Promise.all(calls)).filter(({ startedAt }) => startedAt > revoked);

    expect(late.length).toBeGreaterThan(0);
    expect(late.every(({ status }) => status === 401)).toBe(true);
  }
});
