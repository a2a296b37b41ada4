import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectUpstream } from '../../../src/content/upstreams/connection.ts';
import type { UpstreamConnection } from '../../../src/content/upstreams/connection.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound.ts';
import { startSdkV1 } from '../../support/upstreams/sdk-v1.ts';
import type { SdkUpstream } from '../../support/upstreams/sdk-v1.ts';
import { startSdkV2 } from '../../support/upstreams/sdk-v2.ts';

const outbound = createOutbound({ allow: ['127.0.0.1'] });
const signal = new AbortController().signal;
const options = { signal, timeoutMs: 10_000 };
afterAll(() => outbound.close());

describe.each([
  ['2025', startSdkV1],
  ['2026', startSdkV2],
])('an upstream of MCP %s', (_era, start) => {
  let upstream: SdkUpstream;
  let connection: UpstreamConnection;
  const connect = () =>
    connectUpstream(
      { space_id: 'space', url: upstream.url, headers: { authorization: 'Bearer secret' } },
      outbound,
    );
  beforeAll(async () => {
    upstream = await start();
    connection = await connect();
  });
  afterAll(async () => {
    await connection.close();
    await upstream.close();
  });

  test('lists all its tools, each with its own pin', () => {
    expect(connection.tools.map(({ name }) => name)).toEqual(Object.keys(upstream.tools));
    expect(connection.tools[0]).toMatchObject({
      name: 'echo',
      title: 'Echo',
      description: 'Repeats its argument.',
      input_schema: { type: 'object', required: ['text'] },
      output_schema: null,
    });
    expect(new Set(connection.tools.map(({ pin }) => pin)).size).toBe(connection.tools.length);
  });

  test('returns a call’s content and structured content unchanged', async () => {
    expect(await connection.call('echo', { text: 'hello' }, options)).toEqual({
      content: [{ type: 'text', text: 'hello' }],
      structuredContent: { said: 'hello' },
    });
  });

  test('a failing tool returns a result, not an upstream error', async () => {
    expect(await connection.call('fails', {}, options)).toEqual({
      content: [{ type: 'text', text: 'no luck' }],
      isError: true,
    });
  });

  test('progress arrives before the result, in order', async () => {
    const seen: number[] = [];

    await connection.call(
      'counts',
      {},
      { ...options, onProgress: (p) => void seen.push(p.progress) },
    );

    expect(seen).toEqual([1, 2, 3]);
  });

  test('only what the upstream’s owner configured is sent to it (B8-7)', async () => {
    const { content } = await connection.call('whoami', {}, options);
    const headers = JSON.parse((content as { text: string }[])[0]!.text) as object;

    expect(upstream.seen.at(-1)!.headers.authorization).toBe('Bearer secret');
    expect(headers).toMatchObject({ authorization: '[secret]', 'user-agent': 'toolgate' });
    const known =
      'accept accept-encoding authorization connection content-length content-type host ' +
      'mcp-method mcp-name mcp-protocol-version mcp-session-id user-agent';
    expect(known.split(' ')).toEqual(expect.arrayContaining(Object.keys(headers)));
  });

  test('the upstream’s requests to the client are refused, and the call completes or fails', async () => {
    const answer = await connection.call('asks', {}, options).catch((error: unknown) => error);

    expect(answer).toSatisfy(
      (value: { content?: { text: string }[]; code?: string }) =>
        value.content?.[0]?.text === 'refused' || value.code === 'upstream_error',
    );
  });

  test('a result of more than a megabyte causes an upstream error', async () => {
    await expect(connection.call('large', {}, options)).rejects.toMatchObject({
      code: 'upstream_error',
      message: 'The upstream MCP server sent a response larger than 1 MB.',
    });
  });

  test('a call without a response times out, and a cancelled one ends at once', async () => {
    await expect(
      connection.call('waits', {}, { ...options, timeoutMs: 200 }),
    ).rejects.toMatchObject({
      code: 'upstream_error',
      message: 'The upstream MCP server did not respond in time.',
    });
    const reason = new Error('left');
    const controller = new AbortController();
    const call = connection.call('waits', {}, { ...options, signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  test('a call of an absent tool causes an upstream error', async () => {
    await expect(connection.call('nothing', {}, options)).rejects.toMatchObject({
      code: 'upstream_error',
    });
  });

  test('a connection is stale once the upstream announces changed tools', async () => {
    const own = await connect();
    expect(own.isStale()).toBe(false);

    upstream.announce();

    await expect.poll(own.isStale).toBe(true);
    await own.close();
  });

  test('closing a connection leaves nothing open at the upstream', async () => {
    const own = await connect();
    await own.call('echo', { text: 'x' }, options);
    await connection.close();
    await own.close();

    await expect.poll(upstream.open).toBe(0);
  });
});
