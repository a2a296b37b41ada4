import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { createItem, deleteItem } from '../../support/worlds/items.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { connectClient, createKeyHolder } from './key-holder.ts';
import { connectV1Client, eventReader, openSession, request, send } from './legacy/client.ts';

const note = (path: string, text = 'First.') => ({ path, mime_type: 'text/plain', text });
const uriOf = (path: string) => `toolgate://me/${path}`;

const { world, gateway } = await useGateway();
const elsewhere = `${(await world.gateway()).url}/mcp`;
const ada = await createKeyHolder(world, gateway);

async function rewrite(id: string, text: string): Promise<void> {
  const path = `/api/me/resources/${id}`;
  const patch = { method: 'PATCH', path, body: { text }, headers: ada.bearer };
  expect((await ada.person.ask(patch)).status).toBe(200);
}

interface Acknowledged {
  params: { notifications: { resourceSubscriptions?: string[] } };
}

const META = 'io.modelcontextprotocol/';
const method = 'subscriptions/listen';
/** Opens a listen stream of 2026-07-28 for these resources and for changes of the tool list. */
const listenTo = (endpoint: string, secret: string, resourceSubscriptions: readonly string[]) =>
  fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'x-api-key': secret,
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 7, method },
      params: {
        notifications: { toolsListChanged: true, resourceSubscriptions },
        _meta: { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} },
      },
    }),
  });

const keyOf = (change: object = {}) =>
  ada.createKey({ mcp_capabilities: ['resources'], ...change });

describe('a subscription of a session', () => {
  test('to an absent, foreign or excluded resource is not found, with identical bytes (B3-16)', async () => {
    const stranger = await createKeyHolder(world, gateway);
    await createItem(stranger, 'resources', note('foreign'));
    await createItem(ada, 'resources', note('private/one'));
    const resource_policy = { mode: 'blacklist', patterns: ['private/**'] };
    const { secret } = await keyOf({ resource_policy });
    const session = await openSession(ada.endpoint, secret);
    const answers = await Promise.all(
      ['nothing', 'foreign', 'private/one', '../x', 'x'.repeat(3_000)].map(async (path) => {
        const body = request('resources/subscribe', { uri: uriOf(path) });
        return (await send(ada.endpoint, secret, { session, body })).text();
      }),
    );

    expect([...new Set(answers)]).toEqual([
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Not found"}}',
    ]);
  });

  test('is refused beyond two hundred per key, across all its sessions (B3-16)', async () => {
    const { secret } = await keyOf();
    const ids: string[] = [];
    for (let at = 0; at < 21; at += 1)
      ids.push(await createItem(ada, 'resources', note(`many/${at}`)));
    const subscribe = async (session: string, at: number) => {
      const body = request('resources/subscribe', { uri: uriOf(`many/${at}`) });
      return (await send(ada.endpoint, secret, { session, body })).json();
    };
    for (let round = 0; round < 10; round += 1) {
      const session = await openSession(ada.endpoint, secret);
      for (let at = 0; at < 20; at += 1)
        expect(await subscribe(session, at)).toMatchObject({ result: {} });
    }
    const refused = await subscribe(await openSession(ada.endpoint, secret), 20);
    for (const id of ids) await deleteItem(ada, 'resources', id);

    expect(refused).toMatchObject({ error: { code: -32602, data: { code: 'limit_exceeded' } } });
  });

  test("shares the key's limit with listen streams of MCP 2026, on every instance", async () => {
    const { secret } = await keyOf();
    const ids: string[] = [];
    for (let at = 0; at < 21; at += 1)
      ids.push(await createItem(ada, 'resources', note(`both/${at}`)));
    const uris = ids.map((_, at) => uriOf(`both/${at}`));
    const session = await openSession(ada.endpoint, secret);
    const subscribe = async (uri: string) => {
      const body = request('resources/subscribe', { uri });
      return (await send(ada.endpoint, secret, { session, body })).json();
    };
    const listen = async (requested: readonly string[]) => {
      const reader = eventReader(await listenTo(elsewhere, secret, requested));
      const { params } = JSON.parse((await reader.next())!.data) as Acknowledged;
      return { honoured: params.notifications.resourceSubscriptions ?? [], ...reader };
    };

    for (const uri of uris.slice(0, 5)) await subscribe(uri);
    const streams = await Promise.all(Array.from({ length: 9 }, () => listen(uris)));
    const partial = await listen(uris);
    const refused = await subscribe(uris[5]!);
    await streams[0]!.close();
    const admitted = await expect
      .poll(() => subscribe(uris[5]!))
      .toMatchObject({ result: {} })
      .then(() => subscribe(uris[6]!));
    const last = await listen(uris);

    // 5 + 9 × 21, and the rest of two hundred.
    expect(streams.map(({ honoured }) => honoured.length)).toEqual(Array(9).fill(21));
    expect(partial.honoured).toEqual(uris.slice(0, 6));
    expect(refused).toMatchObject({ error: { code: -32602, data: { code: 'limit_exceeded' } } });
    expect(admitted).toMatchObject({ result: {} });
    expect(last.honoured).toHaveLength(19);
    for (const { close } of [...streams.slice(1), partial, last]) await close();
    for (const id of ids) await deleteItem(ada, 'resources', id);
  });

  test('announces each edit, and nothing once the key may no longer read the resource (B3-16)', async () => {
    const watched = await createItem(ada, 'resources', note('watched'));
    const other = await createItem(ada, 'resources', note('zebra'));
    const { id: key, secret } = await keyOf();
    const session = await openSession(ada.endpoint, secret);
    for (const path of ['watched', 'zebra']) {
      const body = request('resources/subscribe', { uri: uriOf(path) });
      await (await send(ada.endpoint, secret, { session, body })).text();
    }
    const events = eventReader(await send(elsewhere, secret, { method: 'GET', session }));
    /** Returns the next resource URI; an edit may also announce that the list changed. */
    const updated = async (): Promise<string> => {
      const event = await events.next();
      const { params } = JSON.parse(event!.data || '{}') as { params?: { uri: string } };
      return params?.uri ?? updated();
    };
    await rewrite(watched, 'Second.');
    const first = await updated();
    const resource_policy = { mode: 'blacklist', patterns: ['watched'] };
    await ada.person.ask({
      method: 'PATCH',
      path: `/api/keys/${key}`,
      body: { resource_policy },
      headers: ada.bearer,
    });
    await rewrite(watched, 'Third.');
    await rewrite(other, 'Second.');
    const second = await updated();
    await events.close();

    expect([first, second]).toEqual([uriOf('watched'), uriOf('zebra')]);
  });
});

test('SDK v1 subscribes, is notified of an edit, and unsubscribes', async () => {
  const id = await createItem(ada, 'resources', note('first'));
  const { secret } = await keyOf();
  const { client } = await connectV1Client(elsewhere, secret);
  const notified = Promise.withResolvers<string>();
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    notified.resolve(params.uri);
  });
  await client.subscribeResource({ uri: uriOf('first') });
  await rewrite(id, 'Second.');

  expect(await notified.promise).toBe(uriOf('first'));
  expect((await client.readResource({ uri: uriOf('first') })).contents).toMatchObject([
    { uri: uriOf('first'), mimeType: 'text/plain', text: 'Second.' },
  ]);
  await client.unsubscribeResource({ uri: uriOf('first') });
  await client.close();
});

test('SDK v2 subscribes only to what it may read, and is notified of an edit (B3-36)', async () => {
  const id = await createItem(ada, 'resources', note('second'));
  const { secret } = await keyOf();
  const client = await connectClient(elsewhere, secret);
  const notified = Promise.withResolvers<string>();
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    notified.resolve(params.uri);
  });
  const subscription = await client.listen({
    resourceSubscriptions: [uriOf('second'), uriOf('foreign'), uriOf('nothing')],
  });
  await rewrite(id, 'Second.');

  expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: [uriOf('second')] });
  expect(await notified.promise).toBe(uriOf('second'));
  await subscription.close();
  await client.close();
});
