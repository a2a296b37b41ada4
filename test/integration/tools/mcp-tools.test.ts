import { beforeAll, describe, expect, test } from 'vitest';
import type { SdkUpstream } from '../../support/upstreams/sdk-v1.ts';
import { ask, connectClient } from '../mcp/key-holder.ts';
import { addUpstream, createMcpWorld, offer, SECRET } from './mcp-world.ts';
import { keyOf, listed } from './tool-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const mcp = await closeAfterTests(createMcpWorld());

const toolsOf = async (endpoint: string, secret: string) =>
  (await ask(endpoint, { 'x-api-key': secret }, 'tools/list')).body.result
    .tools as unknown as Record<string, unknown>[];

describe.each(['v1', 'v2'] as const)('a tool of an upstream with SDK %s', (sdk) => {
  let server: SdkUpstream;
  let upstream: string;
  let secret: string;
  beforeAll(async () => {
    server = mcp[sdk];
    [upstream, secret] = [await addUpstream(mcp.ada, server.url), await keyOf(mcp.ada)];
  });
  const callTool = async (name: string, values: object = {}, more: object = {}) =>
    (
      await ask(mcp.ada.endpoint, { 'x-api-key': secret, ...more }, 'tools/call', {
        name,
        arguments: values,
      })
    ).body;

  test('is listed with its upstream’s description, under the name that its owner gave it', async () => {
    const { body, name } = await offer(mcp.ada, upstream, 'echo');

    expect(body).toMatchObject({
      kind: 'mcp',
      title: 'Echo',
      description: 'Repeats its argument.',
      mcp: { upstream_id: upstream, tool: 'echo' },
      held: null,
      version: 1,
    });
    const tool = (await toolsOf(mcp.ada.endpoint, secret)).find((entry) => entry['name'] === name);
    expect(tool).toMatchObject({
      title: 'Echo',
      description: 'Repeats its argument.',
      inputSchema: { type: 'object', required: ['text'] },
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    });
    expect(tool).not.toHaveProperty('outputSchema');
    expect(await listed(mcp.bob, await keyOf(mcp.bob))).not.toContain(name);
  });

  test('is called with the arguments, and its result is returned', async () => {
    const { name } = await offer(mcp.ada, upstream, 'echo');

    expect((await callTool(name, { text: 'hello' })).result).toMatchObject({
      content: [{ type: 'text', text: 'hello' }],
      structuredContent: { said: 'hello' },
    });
    const before = server.seen.length;
    expect((await callTool(name, { text: 7 })).error).toMatchObject({ code: -32602 });
    expect(server.seen).toHaveLength(before);
  });

  test('is called with a changed header or URL from the next call', async () => {
    const own = await addUpstream(mcp.ada, server.url);
    const { name } = await offer(mcp.ada, own, 'echo');
    const change = (fields: object) => mcp.ada.rest(`/api/me/upstreams/${own}`, fields, 'PATCH');
    const sentKey = async () => {
      await callTool(name, { text: 'hello' });
      return server.seen.findLast(({ method }) => method === 'POST')?.headers['authorization'];
    };

    expect(await sentKey()).toBe(SECRET);
    await change({ headers: { Authorization: 'Bearer changed' } });
    expect(await sentKey()).toBe('Bearer changed');
    await change({ url: `${server.url}?moved`, headers: { Authorization: null } });
    expect(await sentKey()).toBeUndefined();
  });

  test('returns its failure as a tool error, not as a gateway error', async () => {
    const { name } = await offer(mcp.ada, upstream, 'fails');

    expect((await callTool(name)).result).toMatchObject({
      content: [{ type: 'text', text: 'no luck' }],
      isError: true,
    });
  });

  test('reports its progress to a client that requests it', async () => {
    const { name } = await offer(mcp.ada, upstream, 'counts');
    const client = await connectClient(mcp.ada.endpoint, secret);
    const seen: number[] = [];

    const result = await client.callTool(
      { name, arguments: {} },
      { onprogress: ({ progress }) => void seen.push(progress) },
    );
    await client.close();

    expect(seen).toEqual([1, 2, 3]);
    expect(result.content).toEqual([{ type: 'text', text: 'counted' }]);
  });

  test('receives only the arguments from the caller (B8-7)', async () => {
    const { name } = await offer(mcp.ada, upstream, 'whoami');

    const { result } = await callTool(name, {}, { 'x-caller': 'canary-caller', cookie: 'a=b' });
    const [content] = (result as unknown as { content: { text: string }[] }).content;
    const headers = JSON.parse(content!.text) as Record<string, string>;

    expect(mcp[sdk].seen.at(-1)!.headers.authorization).toBe(SECRET);
    expect(headers['authorization']).toBe('[secret]');
    expect(content!.text).not.toContain('canary-caller');
    expect(content!.text).not.toContain(secret);
    expect(Object.keys(headers)).not.toContain('cookie');
  });
});
