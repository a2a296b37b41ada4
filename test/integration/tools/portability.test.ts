import { expect, onTestFinished, test } from 'vitest';
import { json, result, startHostile, tool } from '../../support/upstreams/hostile.ts';
import { createToolCaller } from '../mcp/tool-caller.ts';
import { eras } from '../mcp/both-eras.ts';
import { addUpstream, createMcpWorld, draftOf } from './mcp-world.ts';
import { keyOf, path } from './tool-world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';

const tools = await closeAfterTests(createMcpWorld());

interface Warning {
  code: string;
  message: string;
  operation?: string;
  detail: { pointer: string; tool?: { id: string } };
}
const warningsOf = (body: object) => (body as { warnings: Warning[] }).warnings;
const places = (body: object) =>
  warningsOf(body).map(({ code, detail: { pointer } }) => `${code} ${pointer}`);

const refused = { type: 'object', properties: { 'a b': {} }, anyOf: [{ required: ['a b'] }] };
const REFUSED = ['not_portable /input_schema/anyOf', 'not_portable /input_schema/properties/a b'];
const simple = () => ({
  name: `tool_${crypto.randomUUID().slice(0, 8)}`,
  description: 'A tool.',
  kind: 'http',
  input_schema: refused,
  http: { method: 'GET', url: 'https://a.example/' },
});

test('a tool that some model APIs refuse is accepted with a warning wherever it is shown', async () => {
  const created = await tools.ada.rest(path, simple());
  const itemPath = `${path}/${created.body.id}`;
  const input_schema = { ...refused, anyOf: undefined };

  expect([created.status, places(created.body)]).toEqual([201, REFUSED]);
  expect(places((await tools.ada.rest(itemPath)).body)).toEqual(REFUSED);
  const changed = await tools.ada.rest(itemPath, { input_schema }, 'PATCH');
  expect(places(changed.body)).toEqual(REFUSED.slice(1));
  const mended = await tools.ada.rest(itemPath, { input_schema: { type: 'object' } }, 'PATCH');
  expect([mended.status, places(mended.body)]).toEqual([200, []]);
  const restored = await tools.ada.rest(`${itemPath}/versions/1/restore`, {});
  expect([restored.status, places(restored.body)]).toEqual([200, REFUSED]);
});

test('a preview warns only of tools that the key would see', async () => {
  const { body } = await tools.bob.rest(path, simple());
  const preview = async (mcp_capabilities: string[]) =>
    (await tools.bob.rest('/api/keys/preview', { name: 'k', mcp_capabilities })).body;

  const seen = await preview(['tools']);

  expect(places(seen)).toEqual(REFUSED);
  const { id, name } = body;
  expect(warningsOf(seen).map(({ detail }) => detail.tool)).toEqual([
    { id, name },
    { id, name },
  ]);
  expect(warningsOf(await preview([]))).toEqual([]);
});

test('an import warns of the tools it created, by their operations', async () => {
  const filter = { type: 'object', properties: { 'of[]': { type: 'string' } } };
  const content = { 'application/json': { schema: filter } };
  const { status, body } = await tools.ada.rest(`${path}/import`, {
    document: {
      openapi: '3.1.0',
      info: { title: 'Shop', version: '1' },
      servers: [{ url: 'https://shop.example' }],
      paths: { '/orders': { post: { requestBody: { content } }, get: {} } },
    },
  });

  expect(status).toBe(200);
  expect(body['tools']).toHaveLength(2);
  expect(warningsOf(body)).toMatchObject([
    {
      operation: 'POST /orders',
      code: 'not_portable',
      detail: { pointer: '/input_schema/properties/body/properties/of[]' },
    },
  ]);
});

test('an upstream’s tool gets its warnings at creation and at approval', async () => {
  let inputSchema: object = refused;
  const server = await startHostile({
    'tools/list': (request, response) =>
      json(response, result(request, { tools: [tool('search', { inputSchema })] })),
  });
  onTestFinished(() => server.close());
  const upstream = await addUpstream(tools.ada, server.url);

  const created = await tools.ada.rest(path, draftOf(upstream, 'search'));

  expect([created.status, places(created.body)]).toEqual([201, REFUSED]);
  inputSchema = { type: 'object', properties: { 'x y': {} } };
  await tools.ada.rest(`/api/me/upstreams/${upstream}/tools`);
  const approved = await tools.ada.rest(`${path}/${created.body.id}/approve`, {});
  expect(places(approved.body)).toEqual(['not_portable /input_schema/properties/x y']);
});

test.each(eras)(
  'an agent that creates or reads such a tool in MCP %s gets the warnings',
  async (_era, era) => {
    await tools.ada.select(['create_custom_tool', 'get_custom_tool']);
    const grants = [{ scope: { type: 'personal' }, permissions: ['can_create_tools'] }];
    const { run } = await createToolCaller(tools.ada, await keyOf(tools.ada, { grants }), era);

    const created = await run('create_custom_tool', simple());

    expect(places(created)).toEqual(REFUSED);
    expect(places(await run('get_custom_tool', { id: created['id'] }))).toEqual(REFUSED);
  },
);
