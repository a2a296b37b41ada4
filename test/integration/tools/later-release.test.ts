import { expect, test } from 'vitest';
import { z } from 'zod';
import { catalog, createCatalog } from '../../../src/catalog/catalog.ts';
import { defineTool, PURE } from '../../../src/catalog/tool.ts';
import { createPerson, oneAddress } from '../../support/people/people.ts';
import { startUpstreamServer } from '../../support/peers/upstream-server.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { createAuthor, faultsOf } from '../content/author.ts';
import type { ItemBody } from '../content/author.ts';
import { ask } from '../mcp/key-holder.ts';

const forecast = defineTool({
  id: '5d6f8f0e-0d4c-4b6e-9a51-3f2a7e1c0b11',
  name: 'forecast',
  title: 'Forecast',
  description: 'Added by a later release.',
  input: z.object({ city: z.string() }),
  output: z.object({ built_in: z.boolean() }),
  annotations: PURE,
  timeout_ms: 1_000,
  examples: [],
  run: () => ({ built_in: true }),
});
const [prompt] = catalog.prompts();
const greeting = { ...prompt!, id: '7e0c3c55-8f0f-4ad7-9a2f-5b1f0a6c9d22', name: 'greeting' };
const laterCatalog = createCatalog(
  [...catalog.tools(), forecast],
  [...catalog.prompts(), greeting],
);

const draft = () => ({
  name: 'forecast',
  description: 'Asks a server of mine.',
  kind: 'http',
  http: { method: 'GET', url: `${upstream.origin}/own` },
});
const message = { role: 'user', content: 'Mine.' };
const path = '/api/me/custom-tools';
const settings = '/api/me/mcp-settings';

const upstream = await closeAfterTests(startUpstreamServer({}));
const world = await closeAfterTests(createWorld({ ...oneAddress, OUTBOUND_ALLOW: upstream.host }));
const ada = await createAuthor(world, await world.gateway());
const laterGateway = await world.gateway({ overrides: { catalog: laterCatalog } });
const own = (await ada.rest(path, draft())).body;
await ada.rest('/api/me/prompts', { name: 'greeting', messages: [message] });
const key = (await ada.createKey({ mcp_capabilities: ['tools', 'prompts'] })).secret;

/** Sends a request from the same account to the gateway of the later release. */
const rest = (requestPath: string, body?: object, method?: string) =>
  createPerson(laterGateway.url).ask<ItemBody>({
    path: requestPath,
    headers: ada.bearer,
    ...(body === undefined ? {} : { body }),
    ...(method === undefined ? {} : { method }),
  });
const callMcp = async (method: string, params?: { name: string }) =>
  (await ask(`${laterGateway.url}/mcp`, { 'x-api-key': key }, method, params)).body.result;
const toolsNamed = async (toolName: string) => {
  const { tools } = await callMcp('tools/list');
  return (tools as { name: string; description?: string }[]).filter(
    ({ name }) => name === toolName,
  );
};
const select = (tools: string[], platform_prompts: string[] = []) =>
  rest(settings, { tools, platform_prompts }, 'PUT');

test('a custom tool keeps its name and is still called when a later release uses the name (decisions/0019)', async () => {
  await world.query('INSERT INTO tool_selection (space_id, tool_id) VALUES ($1, $2)', [
    ada.account_id,
    forecast.id,
  ]);
  await rest(`${path}/${own.id}`, { description: 'Mine.' }, 'PATCH');

  expect(await toolsNamed('forecast')).toMatchObject([{ description: 'Mine.' }]);
  expect(await callMcp('tools/call', { name: 'forecast' })).toMatchObject({
    structuredContent: { status: 200 },
  });
  const preview = await rest('/api/keys/preview', { name: 'x', mcp_capabilities: ['tools'] });
  const { tools } = preview.body['visible'] as { tools: { id: string; system?: true }[] };
  expect(tools.filter(({ system }) => !system).map(({ id }) => id)).toEqual([own.id]);
  await select([]);
});

test('a built-in item can be selected only once its name is free', async () => {
  expect(faultsOf(await select([forecast.id]))).toEqual([409, 'name_taken /tools/0']);
  expect(faultsOf(await select([], [greeting.id]))).toEqual([
    409,
    'name_taken /platform_prompts/0',
  ]);
  expect((await rest(settings)).body).toEqual({ tools: [], platform_prompts: [] });

  const renamed = await rest(`${path}/${own.id}`, { name: 'my_forecast' }, 'PATCH');
  const taken = await rest(`${path}/${own.id}`, { name: 'forecast' }, 'PATCH');

  expect([renamed.status, ...faultsOf(taken)]).toEqual([200, 409, 'name_taken /name']);
  expect((await select([forecast.id])).status).toBe(200);
  expect(await toolsNamed('forecast')).toMatchObject([{ description: forecast.description }]);
});

test('a custom tool with the name of a system tool is absent', async () => {
  await world.query(`UPDATE item SET name = 'setup' WHERE id = $1`, [own.id]);
  await rest(`${path}/${own.id}`, { description: 'Still mine.' }, 'PATCH');

  expect(await toolsNamed('setup')).toHaveLength(1);
  expect(await callMcp('tools/call', { name: 'setup' })).toMatchObject({
    structuredContent: { client: 'other' },
  });
});
