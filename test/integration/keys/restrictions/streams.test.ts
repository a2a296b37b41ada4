import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { eventReader, openSession, request, send } from '../../mcp/legacy/client.ts';
import { closed, hoursFrom, open as openHours, useRestricted } from './restricted.ts';
import type { Restricted } from './restricted.ts';

const INSIDE = '192.0.2.7';
const OTHER = '198.51.100.7';

const { gateway, kinds, restrict } = await useRestricted();
const endpoint = `${gateway.url}/mcp`;
const META = 'io.modelcontextprotocol/';
const envelope = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} };

/** The streams that stay open, from an address. */
const streams = {
  'GET of 2025': async (secret: string, address: string) => {
    // The session and the stream are of one credential; both need an allowed address.
    const headers = { 'x-forwarded-for': address };
    const session = await openSession(endpoint, secret);
    return send(endpoint, secret, { method: 'GET', session, version: '2025-11-25', headers });
  },
  'listen of 2026': (secret: string, address: string) => {
    const method = 'subscriptions/listen';
    const notifications = { toolsListChanged: true };
    return send(endpoint, secret, {
      version: '2026-07-28',
      headers: { 'mcp-method': method, 'x-forwarded-for': address },
      body: request(method, { notifications, _meta: envelope }),
    });
  },
};

async function open(stream: keyof typeof streams, { secret }: Restricted, address: string) {
  const events = eventReader(await streams[stream](secret, address));
  onTestFinished(() => events.close());
  // The first event: from now on it would announce changes.
  expect(await events.next()).not.toBeNull();
  return {
    /** Resolves when the stream ends. */
    async ended() {
      while ((await events.next()) !== null);
      return 'ended';
    },
  };
}

const cases = (Object.keys(streams) as (keyof typeof streams)[]).flatMap((stream) =>
  (Object.keys(kinds) as (keyof typeof kinds)[]).map((kind) => [stream, kind] as const),
);

test.each(cases)('a stream (%s) of %s ends when its hours change', async (stream, kind) => {
  const one = await kinds[kind]();
  await restrict(one, { hours: openHours() });
  const opened = await open(stream, one, INSIDE);
  const ended = opened.ended();
  expect(await Promise.race([ended, pause(1_500, 'open')])).toBe('open');
  await restrict(one, { hours: closed() });

  expect(await ended).toBe('ended');
});

test('streams end when the hours of their credential end', { timeout: 120_000 }, async () => {
  const one = await kinds['an organization’s key']();
  // The end of this minute, or of the next one if it is near.
  const isLate = new Date().getUTCSeconds() > 50;
  await restrict(one, { hours: hoursFrom(-60, isLate ? 2 : 1) });
  const opened = [
    await open('GET of 2025', one, INSIDE),
    await open('listen of 2026', one, INSIDE),
  ];

  expect(await Promise.all(opened.map(({ ended }) => ended()))).toEqual(['ended', 'ended']);
  expect((await streams['listen of 2026'](one.secret, INSIDE)).status).toBe(401);
});

test.each(Object.keys(streams) as (keyof typeof streams)[])(
  'only the streams (%s) from addresses that are no longer allowed end',
  async (stream) => {
    const one = await kinds['a person’s key']();
    const inside = (await open(stream, one, INSIDE)).ended();
    const elsewhere = (await open(stream, one, OTHER)).ended();
    await restrict(one, { allowed_addresses: [INSIDE] });

    expect(await elsewhere).toBe('ended');
    expect(await Promise.race([inside, pause(2_500, 'open')])).toBe('open');
    await restrict(one, { allowed_addresses: [OTHER] });
    expect(await inside).toBe('ended');
  },
);
