import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { connectClient, createKeyHolder } from './key-holder.ts';
import { eventReader } from './legacy/client.ts';

const { world, gateway } = await useGateway();
const otherGateway = await world.gateway();
const ada = await createKeyHolder(world, gateway);
const secret = (await ada.createKey()).secret;

const META = 'io.modelcontextprotocol/';
const envelope = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} };

function listen({ url }: Gateway, notifications: unknown, key = secret, id: string | number = 7) {
  const method = 'subscriptions/listen';
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'x-api-key': key,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method,
      params: { notifications, _meta: envelope },
    }),
  });
}

const read = async (events: ReturnType<typeof eventReader>) => {
  const event = await events.next();
  return event === null ? null : JSON.parse(event.data);
};
const subscriptionMeta = { [`${META}subscriptionId`]: 7 };
const readOrSilence = (events: ReturnType<typeof eventReader>) =>
  Promise.race([read(events), pause(1_500, 'silence')]);

describe('subscriptions/listen', () => {
  test('acknowledges, then announces a change made on another instance', async () => {
    await ada.select(['calculator']);
    const answer = await listen(otherGateway, {
      toolsListChanged: true,
      promptsListChanged: false,
    });
    const events = eventReader(answer);
    const first = await read(events);
    await ada.select(['calculator', 'hash']);
    const notification = await read(events);
    await events.close();

    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(first).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true }, _meta: subscriptionMeta },
    });
    expect(notification).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: { _meta: subscriptionMeta },
    });
  });

  test('does not announce what was not requested or what the key cannot see', async () => {
    await ada.select(['calculator']);
    const blind = await ada.createKey({ mcp_capabilities: [] });
    const narrow = eventReader(await listen(gateway, { promptsListChanged: true }));
    const blinded = eventReader(await listen(gateway, { toolsListChanged: true }, blind.secret));
    await Promise.all([read(narrow), read(blinded)]);
    await ada.select(['calculator', 'uuid']);
    const notified = await Promise.all([readOrSilence(narrow), readOrSilence(blinded)]);
    await Promise.all([narrow.close(), blinded.close()]);

    expect(notified).toEqual(['silence', 'silence']);
  });

  test('omits what the key cannot read, and ends if nothing is left (B3-36)', async () => {
    const uris = ['toolgate://me/absent', 'toolgate://me/foreign'];
    const events = eventReader(await listen(gateway, { resourceSubscriptions: uris }));
    const first = await read(events);
    const last = await read(events);

    expect(first.params.notifications).toEqual({});
    expect(last).toMatchObject({
      id: 7,
      result: { resultType: 'complete', _meta: subscriptionMeta },
    });
    expect(await read(events)).toBeNull();
  });

  test.each([
    [undefined],
    ['all'],
    [{ toolsListChanged: 'yes' }],
    [{ resourceSubscriptions: [5] }],
  ])('refuses the filter %j', async (filter) => {
    const answer = await listen(gateway, filter);

    expect(await answer.json()).toMatchObject({ id: 7, error: { code: -32602 } });
  });

  test('ends without a result soon after its key is revoked (B3-22)', async () => {
    const key = await ada.createKey();
    const events = eventReader(await listen(otherGateway, { toolsListChanged: true }, key.secret));
    await read(events);
    await ada.revoke(key.id);

    expect(await read(events)).toBeNull();
  });

  test('ends with a result when its gateway shuts down (F-G2)', async () => {
    const stopping = await world.gateway();
    const events = eventReader(await listen(stopping, { toolsListChanged: true }));
    await read(events);
    const closing = stopping.service.close();
    const last = await read(events);
    await closing;

    expect(last).toMatchObject({
      id: 7,
      result: { resultType: 'complete', _meta: subscriptionMeta },
    });
  });

  test('is refused if the key already has a hundred, across all instances (B3-25)', async () => {
    const key = await ada.createKey();
    const opened: Response[] = [];
    while (opened.length < 100)
      opened.push(
        ...(await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            listen(index % 2 ? gateway : otherGateway, { toolsListChanged: true }, key.secret),
          ),
        )),
      );
    const refused = await listen(gateway, { toolsListChanged: true }, key.secret);

    expect(new Set(opened.map((answer) => answer.headers.get('content-type')))).toEqual(
      new Set(['text/event-stream']),
    );
    expect(await refused.json()).toMatchObject({
      id: 7,
      error: { code: -32602, data: { code: 'limit_reached' } },
    });
    await Promise.all(opened.map((answer) => answer.body!.cancel()));
  });
});

test('SDK v2 is notified of a changed list', async () => {
  await ada.select(['calculator']);
  const client = await connectClient(`${otherGateway.url}/mcp`, secret);
  const notified = new Promise<void>((resolve) => {
    client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
  });
  const subscription = await client.listen({ toolsListChanged: true });
  await ada.select(['calculator', 'json_query']);
  await notified;
  await subscription.close();
  await client.close();
});
