import { expect, onTestFinished, test } from 'vitest';
import { createProxy } from '../../support/servers/proxy.ts';
import { useWorld } from '../../support/worlds/world.ts';
import { createKeyHolder } from './key-holder.ts';
import { eventReader, openSession, send } from './legacy/client.ts';

const listening = {
  jsonrpc: '2.0',
  id: 7,
  method: 'subscriptions/listen',
  params: {
    notifications: { toolsListChanged: true },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};
const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };

test('a stream ends when its key cannot be verified for five seconds (mcp.md 6)', async () => {
  const world = await useWorld();
  const proxy = await createProxy(world.env['DATABASE_URL']!);
  onTestFinished(() => proxy.close());
  const gateway = await world.gateway({ env: { DATABASE_URL: proxy.url } });
  const ada = await createKeyHolder(world, gateway);
  await ada.select(['calculator']);
  const { secret } = await ada.createKey();
  const session = await openSession(ada.endpoint, secret);
  const open = async () => {
    const older = await send(ada.endpoint, secret, { method: 'GET', session });
    const newer = await send(ada.endpoint, secret, { body: listening, headers: modern });
    return [older, newer].map(eventReader);
  };
  const streams = await open();
  for (const events of streams) expect(await events.next()).not.toBeNull();

  proxy.down();
  const last = await Promise.all(streams.map((events) => events.next()));
  proxy.pass();

  expect(last).toEqual([null, null]);
  await expect
    .poll(async () => (await send(ada.endpoint, secret, { method: 'GET', session })).status)
    .toBe(200);
});

test('a shorter outage does not end a stream, and changes made during it are announced', async () => {
  const world = await useWorld();
  const proxy = await createProxy(world.env['DATABASE_URL']!);
  onTestFinished(() => proxy.close());
  const cutOff = await world.gateway({ env: { DATABASE_URL: proxy.url } });
  const ada = await createKeyHolder(world, await world.gateway());
  await ada.select(['calculator']);
  const { secret } = await ada.createKey();
  const endpoint = `${cutOff.url}/mcp`;
  const session = await openSession(endpoint, secret);
  const events = eventReader(await send(endpoint, secret, { method: 'GET', session }));
  await events.next();

  proxy.down();
  await ada.select(['calculator', 'hash']);
  proxy.pass();
  const event = await events.next();
  await events.close();

  expect(event?.data).toContain('tools/list_changed');
});
