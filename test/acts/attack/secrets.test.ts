import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey, selectTools, signUp, tokenOf } from '../../support/people.ts';
import { sendRaw } from '../../support/raw-request.ts';
import { createWorld } from '../../support/world.ts';
import type { World } from '../../support/world.ts';
import { ask } from '../mcp/key-holder.ts';
import { openSession } from '../mcp/legacy-client.ts';
import { startChildGateway } from './child-gateway.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

test('no secret is in the log at its loudest, nor in any table (rel:P15, rel:B1-9)', async () => {
  const gateway = await startChildGateway(world, { LOG_LEVEL: 'trace' });
  const ada = await signUp(world, gateway);
  const verification = tokenOf(world.mailbox.letters.find(({ to }) => to === ada.email)!);
  await selectTools(ada, ['json_query']);
  const { secret } = await createKey(ada);
  const session = await openSession(`${gateway.url}/mcp`, secret);
  const refresh = ada.cookies.get('refresh')!;

  // Secrets where they do not belong, and requests that fail while they carry one.
  const get = (path: string, line: string) =>
    sendRaw(gateway.url, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${line}\r\n\r\n`);
  await get(`/api/keys?api_key=${secret}&token=${verification}`, `X-API-Key: ${secret}`);
  await get(`/api/${secret}`, `Authorization: Bearer ${secret}`);
  await get(`/${'x'.repeat(20_000)}`, `X-API-Key: ${secret}`);
  await get('/api/keys', `X-API-Key: ${secret}\0`);
  await ada.person.ask({ path: '/api/auth/login', body: { email: ada.email, password: secret } });
  await ada.person.ask({ path: '/api/auth/verify-email', body: { token: `${verification}x` } });
  const key = { 'x-api-key': secret };
  await ask(`${gateway.url}/mcp`, key, 'tools/call', { name: secret, arguments: {} });
  await ask(`${gateway.url}/mcp`, key, 'tools/call', {
    name: 'json_query',
    arguments: { json: '"canary-of-arguments"', query: "pad_left(@, `1e9`, 'x')" },
  });
  const renewed = await ada.person.ask({
    method: 'POST',
    path: '/api/auth/refresh',
    headers: { cookie: `refresh=${refresh}` },
  });
  await wait(1_500);

  const secrets = {
    key: secret.slice(3),
    password: ada.password,
    access: ada.access_token.split('.')[2]!,
    refresh: refresh.split('.')[1]!,
    renewed: renewed.cookies.get('refresh')!.split('.')[1]!,
    verification,
    session,
    arguments: 'canary-of-arguments',
    root: world.env['SECRETS_KEY']!,
    mail: ada.email,
  };
  const log = gateway.output();
  for (const [name, value] of Object.entries(secrets))
    expect([name, log.includes(value)]).toEqual([name, false]);

  const { mail: _mail, ...hidden } = secrets;
  const tables = await world.query<{ name: string }>(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
  );
  for (const { name: table } of tables) {
    const rows = await world.query<{ row: unknown }>(`SELECT to_json(t) AS row FROM ${table} t`);
    const text = JSON.stringify(rows);
    for (const [name, value] of Object.entries(hidden))
      expect([table, name, text.includes(value)]).toEqual([table, name, false]);
  }
  await gateway.stop();
}, 60_000);
