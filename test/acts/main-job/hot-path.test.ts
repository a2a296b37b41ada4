import { expect, test } from 'vitest';
import { createKey, selectTools, signUp } from '../../support/people.ts';
import { createProxy } from '../../support/proxy.ts';
import { useWorld } from '../../support/world.ts';

const CALLS = 200;
// What the gateway does by itself meanwhile: its worker, heartbeat and ledger.
const BACKGROUND = 60;

const call = (name: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name,
    arguments: { expression: '1+1' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

test('a warm tool call is one SQL query, one Redis round trip, no question to OpenFGA', async () => {
  const world = await useWorld({ AUTHZ_CACHE: 'on' });
  const postgres = await createProxy(world.env['DATABASE_URL']!);
  const redis = await createProxy(world.env['REDIS_URL']!);
  const openfga = await createProxy(world.env['OPENFGA_API_URL']!);
  const gateway = await world.gateway({
    env: {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      OPENFGA_API_URL: openfga.url,
      PLANS_FILE: new URL('../../support/generous-plans.json', import.meta.url).pathname,
    },
  });
  const ada = await signUp(world, gateway);
  await selectTools(ada, ['calculator']);
  const key = await createKey(ada);
  const once = async () => {
    const response = await fetch(`${gateway.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'calculator',
        'x-api-key': key.secret,
      },
      body: JSON.stringify(call('calculator')),
    });
    const { result } = (await response.json()) as { result: { isError?: boolean } };
    expect([response.status, result.isError ?? false]).toEqual([200, false]);
  };
  for (let warm = 0; warm < 5; warm += 1) await once();

  const counts = () => [postgres.requests(), redis.requests(), openfga.requests()] as const;
  const before = counts();
  for (let index = 0; index < CALLS; index += 1) await once();
  const [sql, redisTrips, questions] = counts().map((now, index) => now - before[index]!);

  expect(sql).toBeGreaterThanOrEqual(CALLS);
  expect(sql).toBeLessThan(CALLS + BACKGROUND);
  expect(redisTrips).toBeGreaterThanOrEqual(CALLS);
  expect(redisTrips).toBeLessThan(CALLS + BACKGROUND);
  expect(questions).toBe(0);
});
