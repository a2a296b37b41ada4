import { setTimeout as pause } from 'node:timers/promises';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test, vi } from 'vitest';
import {
  connectV1Client,
  eventReader,
  initializeBody,
  openSession,
  request,
  send,
} from './client.ts';
import { slowGateway, useSlowInstances } from './world.ts';

const { ends, world, ada, secret, otherEndpoint } = await useSlowInstances();

const call = (name: string, input: object = {}, id: string | number = 1) =>
  request('tools/call', { name, arguments: input }, id);

describe('a call', () => {
  test('becomes an event stream if it takes more than a second', async () => {
    const session = await openSession(ada.endpoint, secret);
    const answer = await send(ada.endpoint, secret, { session, body: call('slow', { ms: 1_200 }) });
    const events = eventReader(answer);
    const primer = await events.next();
    const last = await events.next();

    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
    expect(primer).toEqual({ id: 'p1.0', data: '', retry: '1000' });
    expect(last).toMatchObject({ id: 'p1.1' });
    expect(JSON.parse(last!.data)).toMatchObject({ id: 1, result: { content: [{}] } });
    expect(await events.next()).toBeNull();
  });

  test('sends older clients no event without data', async () => {
    const session = await openSession(ada.endpoint, secret, '2025-06-18');
    const answer = await send(ada.endpoint, secret, {
      session,
      body: call('reporting', { ms: 1 }),
    });
    const events = eventReader(answer);
    const read = [await events.next(), await events.next(), await events.next()];

    expect(read.map((event) => event?.id)).toEqual(['p1.1', 'p1.2', 'p1.3']);
    expect(read.map((event) => JSON.parse(event!.data).method ?? 'answer')).toEqual([
      'notifications/progress',
      'notifications/progress',
      'answer',
    ]);
  });

  test('continues when its client disconnects, and can be resumed on another instance (B3-27, B3-30)', async () => {
    const session = await openSession(ada.endpoint, secret);
    const body = call('reporting', { ms: 700 });
    const events = eventReader(await send(ada.endpoint, secret, { session, body }));
    await events.next();
    const first = await events.next();
    await events.close();
    const resumed = await send(otherEndpoint, secret, {
      method: 'GET',
      session,
      headers: { 'last-event-id': first!.id! },
    });
    const rest = eventReader(resumed);
    const second = await rest.next();
    const last = await rest.next();

    expect(first).toMatchObject({ id: 'p1.1' });
    expect(second).toMatchObject({ id: 'p1.2' });
    expect(JSON.parse(last!.data)).toMatchObject({
      id: 1,
      result: { content: [{ text: 'reported' }] },
    });
    expect(await rest.next()).toBeNull();
  });

  test('can be resumed on another instance even before its first message (B3-27)', async () => {
    const session = await openSession(ada.endpoint, secret);
    const body = call('slow', { tag: 'silent', ms: 2_000 });
    const events = eventReader(await send(ada.endpoint, secret, { session, body }));
    const primer = await events.next();
    await events.close();
    const resumed = await send(otherEndpoint, secret, {
      method: 'GET',
      session,
      headers: { 'last-event-id': primer!.id! },
    });
    const rest = eventReader(resumed);
    const last = await rest.next();

    expect(JSON.parse(last!.data)).toMatchObject({ id: 1, result: { content: [{}] } });
    expect(await rest.next()).toBeNull();
  });

  test('finishes while its gateway shuts down, and its response is read on another instance (F-G2)', async () => {
    const stopping = await world.gateway(slowGateway(ends));
    const session = await openSession(`${stopping.url}/mcp`, secret);
    const body = call('slow', { tag: 'drained', ms: 1_500 });
    const answer = send(`${stopping.url}/mcp`, secret, { session, body });
    await pause(300);
    const closing = stopping.service.close();
    const events = eventReader(await answer);
    const primer = await events.next();
    const retryEvent = await events.next();
    const end = await events.next();
    const resumed = await send(otherEndpoint, secret, {
      method: 'GET',
      session,
      headers: { 'last-event-id': primer!.id! },
    });
    const last = await eventReader(resumed).next();
    await closing;

    expect(retryEvent).toEqual({ data: '', retry: '1000' });
    expect(end).toBeNull();
    expect(JSON.parse(last!.data)).toMatchObject({ id: 1, result: { content: [{}] } });
    expect(ends.get('drained')).toBe('finished');
  });

  test('gets its response from a gateway that is shutting down, for an older client (F-G2)', async () => {
    const stopping = await world.gateway(slowGateway(ends));
    const version = '2025-06-18';
    const session = await openSession(`${stopping.url}/mcp`, secret, version);
    const body = call('slow', { tag: 'older', ms: 700 });
    const answer = send(`${stopping.url}/mcp`, secret, { session, version, body });
    await pause(300);
    await stopping.service.close();

    const { status, headers } = await answer;
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await (await answer).json()).toMatchObject({ id: 1, result: { content: [{}] } });
  });

  test.each([
    ['at once, here', 100, () => ada.endpoint],
    ['at once, elsewhere', 100, () => otherEndpoint],
    ['after a while, elsewhere', 1_400, () => otherEndpoint],
  ])('is cancelled %s', async (tag, wait, where) => {
    const session = await openSession(ada.endpoint, secret);
    const sibling = await openSession(ada.endpoint, secret);
    const answer = send(ada.endpoint, secret, { session, body: call('slow', { tag, ms: 8_000 }) });
    await pause(wait);
    const cancelled = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1 },
    };
    await send(where(), secret, { session: sibling, body: cancelled });
    await pause(100);
    expect(ends.has(tag)).toBe(false);
    await send(where(), secret, { session, body: cancelled });
    await (await answer).text();

    await vi.waitFor(() => expect(ends.get(tag)).toBe('cancelled'));
  });

  test('may send the client a request, whose response may arrive at any instance (B3-6)', async () => {
    const params = { capabilities: { roots: {} } };
    const opened = await send(ada.endpoint, secret, { body: initializeBody(undefined, params) });
    const session = opened.headers.get('mcp-session-id')!;
    const other = await openSession(ada.endpoint, secret);
    const events = eventReader(await send(ada.endpoint, secret, { session, body: call('asking') }));
    await events.next();
    const received = JSON.parse((await events.next())!.data);
    const answer = (uri: string) => ({
      jsonrpc: '2.0',
      id: received.id,
      result: { roots: [{ uri }] },
    });
    await send(otherEndpoint, secret, { session: other, body: answer('file:///foreign') });
    await send(otherEndpoint, secret, { session, body: answer('file:///own') });
    const last = JSON.parse((await events.next())!.data);

    expect(received).toMatchObject({ jsonrpc: '2.0', method: 'roots/list' });
    expect(last.result.content[0].text).toBe('{"roots":[{"uri":"file:///own"}]}');
  });

  test('sends a request to SDK v1, which responds automatically', async () => {
    const { client } = await connectV1Client(ada.endpoint, secret, (fresh) => {
      fresh.registerCapabilities({ roots: {} });
      fresh.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///home' }] }));
    });
    const result = await client.callTool({ name: 'asking' });

    expect(JSON.stringify(result.content)).toContain('file:///home');
    await client.close();
  });
});
