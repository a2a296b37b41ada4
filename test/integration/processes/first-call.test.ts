import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { createKey, selectTools, signUp } from '../../support/people/people.ts';
import { useWorld } from '../../support/worlds/world.ts';

test('a person signs up, creates a key, connects a client and calls a tool', async () => {
  const world = await useWorld();
  const gateway = await world.gateway();
  const ada = await signUp(world, gateway);
  await selectTools(ada, ['calculator']);
  const key = await createKey(ada);

  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), {
      requestInit: { headers: { 'X-API-Key': key.secret } },
    }),
  );
  const { tools } = await client.listTools();
  const result = await client.callTool({ name: 'calculator', arguments: { expression: '6*7' } });

  expect(tools.map((tool) => tool.name)).toEqual([
    'setup',
    'bootstrap',
    'agent_context',
    'calculator',
  ]);
  expect(result.structuredContent).toMatchObject({ result: 42 });
  await client.close();
});
