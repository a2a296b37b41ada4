import { setTimeout as pause } from 'node:timers/promises';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test, vi } from 'vitest';
import { connectV1Client, eventReader, openSession, send } from './client.ts';
import { slowGateway, useSlowInstances } from './world.ts';

const { ends, world, ada, secret, otherEndpoint } = await useSlowInstances();

describe('the stream of a session', () => {
  const open = (endpoint: string, session: string, headers: Record<string, string> = {}) =>
    send(endpoint, secret, { method: 'GET', session, headers });

  test('announces a changed list once, and resumes after the last event received (P20)', async () => {
    await ada.select(['calculator', 'slow', 'reporting', 'asking']);
    const session = await openSession(ada.endpoint, secret);
    const events = eventReader(await open(otherEndpoint, session));
    const primer = await events.next();
    await ada.select(['calculator', 'hash', 'slow', 'reporting', 'asking']);
    const event = await events.next();
    await events.close();
    const resumed = eventReader(await open(ada.endpoint, session, { 'last-event-id': event!.id! }));
    await resumed.next();
    await ada.select(['calculator', 'slow', 'reporting', 'asking']);
    const again = await resumed.next();
    await resumed.close();

    expect(primer).toEqual({ id: 'g.0', data: '', retry: '1000' });
    expect(event).toMatchObject({ id: 'g.1' });
    expect(JSON.parse(event!.data)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
    });
    expect(again).toMatchObject({ id: 'g.2' });
  });

  test('announces earlier changes when it opens', async () => {
    const session = await openSession(ada.endpoint, secret);
    await ada.select(['calculator', 'uuid', 'slow', 'reporting', 'asking']);
    const events = eventReader(await open(ada.endpoint, session));
    await events.next();
    const event = await events.next();
    await events.close();
    await ada.select(['calculator', 'slow', 'reporting', 'asking']);

    expect(event!.data).toContain('list_changed');
  });

  test('does not announce a change that its key cannot see', async () => {
    const blind = await ada.createKey({ mcp_capabilities: [] });
    const session = await openSession(ada.endpoint, blind.secret);
    const answer = await send(ada.endpoint, blind.secret, { method: 'GET', session });
    const events = eventReader(answer);
    await events.next();
    const seeing = await openSession(ada.endpoint, secret);
    const seen = eventReader(await open(ada.endpoint, seeing));
    await seen.next();
    await ada.select(['calculator', 'hash', 'slow', 'reporting', 'asking']);
    await seen.next();
    const next = events.next();
    const silence = await Promise.race([next, pause(1_500, 'silence')]);
    await Promise.all([seen.close(), events.close()]);

    expect(silence).toBe('silence');
  });

  test('sends each change on the newest stream only', async () => {
    const session = await openSession(ada.endpoint, secret);
    const older = eventReader(await open(ada.endpoint, session));
    await older.next();
    const newer = eventReader(await open(otherEndpoint, session));
    await newer.next();
    await pause(300);
    await ada.select(['calculator', 'slow', 'reporting', 'asking']);
    const event = await newer.next();
    const silence = await Promise.race([older.next(), pause(1_500, 'silence')]);
    await Promise.all([older.close(), newer.close()]);

    expect(event!.data).toContain('tools/list_changed');
    expect(silence).toBe('silence');
  });

  test("ends within about a second of its key's revocation (B3-22)", async () => {
    const key = await ada.createKey();
    const session = await openSession(ada.endpoint, key.secret);
    const events = eventReader(await send(otherEndpoint, key.secret, { method: 'GET', session }));
    await events.next();
    await ada.revoke(key.id);

    expect(await events.next()).toBeNull();
  });

  test('ends with its session, on every instance (B3-23)', async () => {
    const session = await openSession(ada.endpoint, secret);
    const events = eventReader(await open(otherEndpoint, session));
    await events.next();
    await send(ada.endpoint, secret, { method: 'DELETE', session });

    expect(await events.next()).toBeNull();
  });

  test('is refused if the session already has five (B3-25)', async () => {
    const session = await openSession(ada.endpoint, secret);
    const streams = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        open(index % 2 ? ada.endpoint : otherEndpoint, session),
      ),
    );
    const sixth = await open(ada.endpoint, session);
    await streams[0]!.body!.cancel();
    await vi.waitFor(async () => {
      const another = await open(ada.endpoint, session);
      await another.body!.cancel();
      expect(another.status).toBe(200);
    });

    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(sixth.status).toBe(409);
    await Promise.all(streams.slice(1).map((stream) => stream.body!.cancel()));
  });

  test.each(['p1.0', 'p99.3', 'g.9999', 'garbage', '../s:x'])(
    'opens as a new stream for the event id %s, which it never sent (B3-27)',
    async (id) => {
      const session = await openSession(ada.endpoint, secret);
      const answer = await open(ada.endpoint, session, { 'last-event-id': id });
      await answer.body!.cancel();

      expect(answer.status).toBe(200);
    },
  );

  test('ends when its gateway shuts down, and its client continues on another instance (F-G2)', async () => {
    const stopping = await world.gateway(slowGateway(ends));
    const session = await openSession(`${stopping.url}/mcp`, secret);
    const events = eventReader(await open(`${stopping.url}/mcp`, session));
    await events.next();
    const closing = stopping.service.close();
    const last = await events.next();
    await closing;
    const resumed = await open(otherEndpoint, session);
    await resumed.body!.cancel();

    expect(last).toEqual({ data: '', retry: '1000' });
    expect(await events.next()).toBeNull();
    expect(resumed.status).toBe(200);
  });
});

test('SDK v1 is notified of a changed list', async () => {
  const { client } = await connectV1Client(ada.endpoint, secret);
  const notified = new Promise<void>((resolve) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
  });
  await ada.select(['calculator', 'json_query', 'slow', 'reporting', 'asking']);
  await notified;

  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('json_query');
  await client.close();
});
