import { expect, onTestFinished, test } from 'vitest';
import { endlessly, json, result } from '../../support/upstreams/hostile.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { createAuthor } from '../content/author.ts';
import type { Author } from '../content/author.ts';
import {
  ALL_CONTENT,
  contentKey,
  contentOf,
  prompt,
  reader,
  resource,
  startOffering,
  userText,
} from '../followed/content-world.ts';
import { connectClient } from '../mcp/key-holder.ts';
import { connectV1Client } from '../mcp/legacy/client.ts';

const SECRET = 'canary-of-an-upstream';
const world = await closeAfterTests(createWorld({ OUTBOUND_ALLOW: '127.0.0.1' }));
const gateway = await world.gateway();
const newAuthor = () => createAuthor(world, gateway);

type Behavior = Parameters<typeof startOffering>[1] & {};
const URI = 'toolgate://me/docs/a.md';

/** Imports a prompt and a resource of a server with this behavior; its header has a secret. */
async function imported(owner: Author, behavior: Behavior = {}) {
  const offered = { prompts: [prompt('ask')], resources: [resource('docs://a.md')] };
  const server = await closeAfterTests(startOffering(offered, behavior));
  const { body: added } = await owner.rest('/api/me/upstreams', {
    ...{ name: 'docs', url: server.url, headers: { 'x-token': SECRET } },
  });
  const { status, body } = await owner.rest(`/api/me/upstreams/${added.id}/import`, ALL_CONTENT);
  expect(status).toBe(200);
  return { server, id: contentOf(body).prompts.created[0]!.id! };
}

const keyed = async (owner: Author, fields: object = {}) =>
  reader(owner, await contentKey(owner, fields));

test('a read sends the headers of the upstream and nothing of the caller but the arguments', async () => {
  const owner = await newAuthor();
  const { server } = await imported(owner);
  const secret = await contentKey(owner);

  await reader(owner, secret).get('docs_ask', { topic: 'foxes' });

  const { headers } = server.seen.findLast(({ method }) => method === 'POST')!;
  expect(headers['x-token']).toBe(SECRET);
  expect(JSON.stringify(server.seen)).not.toContain(secret);
});

test('arguments are checked against the approved description before the upstream is called', async () => {
  const owner = await newAuthor();
  const { server } = await imported(owner);
  const agent = await keyed(owner);
  const before = server.seen.length;

  for (const values of [{}, { topic: 'x', other: 'y' }, { topic: 1 }])
    expect((await agent.get('docs_ask', values)).error).toMatchObject({
      data: { code: 'invalid_params' },
    });
  expect(server.seen).toHaveLength(before);
});

test('without the capability, prompts and resources of an upstream are absent', async () => {
  const owner = await newAuthor();
  const { server } = await imported(owner);
  const agent = await keyed(owner, { mcp_capabilities: ['tools'] });
  const before = server.seen.length;

  expect([await agent.promptNames(), await agent.uris()]).toEqual([[], []]);
  expect((await agent.get('docs_ask', { topic: 'x' })).error).toEqual(
    (await agent.get('no')).error,
  );
  expect((await agent.read(URI)).error).toEqual((await agent.read(`${URI}x`)).error);
  expect(server.seen).toHaveLength(before);
});

test('policies decide on them as on one’s own', async () => {
  const owner = await newAuthor();
  const { id } = await imported(owner);
  const denied = await keyed(owner, {
    resource_policy: { mode: 'blacklist', patterns: ['docs/**'] },
    prompt_policy: { mode: 'blacklist', prompts: [id] },
  });
  const allowed = await keyed(owner, {
    resource_policy: { mode: 'whitelist', patterns: ['docs/**'] },
    prompt_policy: { mode: 'whitelist', prompts: [id] },
  });

  expect([await denied.promptNames(), await denied.uris()]).toEqual([[], []]);
  expect((await denied.read(URI)).error).toBeDefined();
  expect((await denied.get('docs_ask', { topic: 'x' })).error).toBeDefined();
  expect([await allowed.promptNames(), await allowed.uris()]).toEqual([['docs_ask'], [URI]]);
  expect((await allowed.read(URI)).result).toBeDefined();
  expect((await allowed.get('docs_ask', { topic: 'x' })).result).toBeDefined();
});

test('another account reads nothing of it', async () => {
  const owner = await newAuthor();
  const { id } = await imported(owner);
  const other = await newAuthor();
  const agent = await keyed(other);

  expect([await agent.promptNames(), await agent.uris()]).toEqual([[], []]);
  expect((await agent.get('docs_ask', { topic: 'x' })).error).toBeDefined();
  expect((await other.rest(`/api/me/prompts/${id}`)).status).toBe(404);
});

test('reads count in the window of reads, and are recorded', async () => {
  const owner = await newAuthor();
  await imported(owner);
  const agent = await keyed(owner);
  await agent.get('docs_ask', { topic: 'x' });
  await agent.read(URI);

  await expect
    .poll(async () => {
      const { data } = (await owner.rest('/api/me/calls')).body;
      return data.map(({ kind, outcome }) => `${String(kind)} ${String(outcome)}`);
    })
    .toEqual(['content_read ok', 'content_read ok']);
});

const connectV1 = async (endpoint: string, secret: string) =>
  (await connectV1Client(endpoint, secret)).client;

test.each([
  ['2025', connectV1],
  ['2026', connectClient],
])('a client of %s gets the same content and the same clear errors', async (_protocol, connect) => {
  const owner = await newAuthor();
  await imported(owner, {
    'prompts/get': (call, response) =>
      json(response, { jsonrpc: '2.0', id: call.id, error: { code: -32_000, message: 'no disk' } }),
  });
  const client = await connect(owner.endpoint, await contentKey(owner));
  onTestFinished(() => client.close());

  expect((await client.readResource({ uri: URI })).contents).toEqual([
    { uri: URI, mimeType: 'text/plain', text: 'in' },
  ]);
  await expect(
    client.getPrompt({ name: 'docs_ask', arguments: { topic: 'owls' } }),
  ).rejects.toMatchObject({
    message: expect.stringContaining(
      'The upstream MCP server returned an error: no disk',
    ) as unknown,
    data: { code: 'upstream_error' },
  });
});

const large = 'x'.repeat(1_100_000);
test.each<[string, Behavior, RegExp]>([
  [
    'a huge result',
    { 'prompts/get': (call, r) => json(r, result(call, { messages: [userText(large)] })) },
    /larger than 1 MB/,
  ],
  [
    'a result without messages',
    { 'prompts/get': (call, r) => json(r, result(call, { text: 'x' })) },
    /invalid MCP response/,
  ],
  [
    'messages that are not messages',
    { 'prompts/get': (call, r) => json(r, result(call, { messages: ['x'] })) },
    /invalid MCP response/,
  ],
  ['a web page', { 'prompts/get': (_call, r) => void r.end('<p>') }, /invalid MCP response/],
  ['HTTP 500', { 'prompts/get': (_call, r) => json(r, {}, 500) }, /HTTP 500/],
  [
    'an endless response',
    {
      'prompts/get': (_call, r) =>
        endlessly(r.writeHead(200, { 'content-type': 'application/json' }), ' '.repeat(65_536)),
    },
    /could not be called|invalid MCP response/,
  ],
])('a server that answers with %s fails the read clearly', async (_what, behavior, message) => {
  const owner = await newAuthor();
  await imported(owner, behavior);
  const agent = await keyed(owner);

  const { error } = await agent.get('docs_ask', { topic: 'x' });

  expect(error).toMatchObject({
    message: expect.stringMatching(message) as unknown,
    data: { code: 'upstream_error' },
  });
  // The connection of others is not lost for good.
  expect((await agent.read(URI)).result).toBeDefined();
});

test('secrets of the upstream are removed from errors, messages and contents', async () => {
  const owner = await newAuthor();
  await imported(owner, {
    'prompts/get': (call, r) =>
      json(r, { jsonrpc: '2.0', id: call.id, error: { code: -32_000, message: `bad ${SECRET}` } }),
    'resources/read': (call, r) =>
      json(r, result(call, { contents: [{ uri: `x:${SECRET}`, text: `has ${SECRET}` }] })),
  });
  const agent = await keyed(owner);

  const replies = [await agent.get('docs_ask', { topic: 'x' }), await agent.read(URI)];

  expect(JSON.stringify(replies)).not.toContain(SECRET);
  expect(replies[0]!.error!.message).toContain('bad [secret]');
  expect(replies[1]!.result!.contents).toEqual([{ uri: URI, text: 'has [secret]' }]);
});

test.each<[string, object[], object[]]>([
  ['501 prompts', Array.from({ length: 501 }, (_, at) => prompt(`p${at}`)), []],
  ['two resources of one URI', [], [resource('docs://a'), resource('docs://a')]],
  ['descriptions that are not texts', [prompt('a', { description: 7 })], []],
])('a server that lists %s gets 422, and nothing is saved', async (_what, prompts, resources) => {
  const owner = await newAuthor();
  const server = await closeAfterTests(startOffering({ prompts, resources }));
  const { body: added } = await owner.rest('/api/me/upstreams', { name: 'docs', url: server.url });

  const { status, body } = await owner.rest(`/api/me/upstreams/${added.id}/import`, ALL_CONTENT);

  expect([status, body.errors[0]!.code]).toEqual([422, 'upstream_error']);
  expect((await owner.rest('/api/me/prompts')).body.data).toEqual([]);
});
