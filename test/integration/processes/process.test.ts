import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { identify, isAlive } from '../../../stack/process-identity.ts';
import { createKey, selectTools, signUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { World } from '../../support/worlds/world.ts';
import { ask } from '../mcp/key-holder.ts';
import { expectStartFailure, startProcess } from './gateway-process.ts';

let world: World;
let secret: string;
beforeAll(async () => {
  world = await createWorld({ PUBLIC_URL: 'http://localhost:7070', LOG_LEVEL: 'info' });
  const ada = await signUp(world, await world.gateway({ env: { LOG_LEVEL: 'silent' } }));
  await selectTools(ada, ['calculator', 'web_fetch']);
  ({ secret } = await createKey(ada));
});
afterAll(() => world.close());

test('the process reports that it is healthy and alive', async () => {
  const gateway = await startProcess(world.env);
  const read = async (path: string) => {
    const answer = await fetch(`${gateway.url}${path}`);
    return [answer.status, await answer.json()];
  };

  expect(await read('/health')).toEqual([200, { status: 'healthy' }]);
  expect(await read('/health/live')).toEqual([200, { status: 'healthy' }]);
  expect(await gateway.stop()).toBe(0);
});

test('metrics are served to direct loopback clients and to clients with the token', async () => {
  const METRICS_TOKEN = 'a token for metrics only';
  const gateway = await startProcess({ ...world.env, METRICS_TOKEN });
  const status = async (headers: Record<string, string>) =>
    (await fetch(`${gateway.url}/metrics`, { headers })).status;
  const forwarded = { 'x-forwarded-for': '127.0.0.1' };

  expect(await status({})).toBe(200);
  expect(await status(forwarded)).toBe(404);
  expect(await status({ ...forwarded, authorization: `Bearer ${METRICS_TOKEN}` })).toBe(200);
  expect(await status({ authorization: 'Bearer another token for it' })).toBe(404);
});

test('metrics include the backlogs of other servers', async () => {
  const gateway = await startProcess(world.env);

  const text = await (await fetch(`${gateway.url}/metrics`)).text();

  const series = [
    'authz_backlog_seconds',
    'authz_stuck_scopes',
    'limits_degraded',
    'ledger_waiting_rows',
  ];
  for (const name of series) expect(text).toContain(`\ntoolgate_${name} 0\n`);
});

/** Starts a server whose response is sent only when the test requests it. */
async function startSlowPage() {
  const waiting: ServerResponse[] = [];
  const server = createServer((_request, response) => void waiting.push(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requested: () => expect.poll(() => waiting.length, { timeout: 10_000 }).toBeGreaterThan(0),
    answer() {
      for (const response of waiting)
        response.writeHead(200, { 'content-type': 'text/plain' }).end('the page');
    },
  };
}

const childrenOf = (parent: number) =>
  execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([ppid]) => ppid === parent)
    .map(([, pid]) => identify(pid!)!);

test('WORKERS share one port; on SIGTERM a running call completes, then all exit with 0 (rel:F-G2)', async () => {
  const gateway = await startProcess({ ...world.env, WORKERS: '2', OUTBOUND_ALLOW: '127.0.0.1' });
  const instances = () =>
    world.query("SELECT id FROM gateway_instance WHERE seen_at > now() - interval '15 seconds'");
  // The world's own gateway is the third instance.
  await expect.poll(async () => (await instances()).length, { timeout: 20_000 }).toBe(3);
  const children = childrenOf(gateway.child.pid!);
  const page = await startSlowPage();
  const running = ask(`${gateway.url}/mcp`, { 'x-api-key': secret }, 'tools/call', {
    name: 'web_fetch',
    arguments: { url: page.url },
  });
  await page.requested();

  const stopped = gateway.stop();
  // The idle worker exits at once; the other waits for its call.
  await expect.poll(() => children.filter(isAlive).length, { timeout: 10_000 }).toBe(1);
  page.answer();

  const { status, body } = await running;
  expect([status, body.result.structuredContent]).toMatchObject([200, { content: 'the page' }]);
  expect(await stopped).toBe(0);
  expect(children).toHaveLength(2);
  expect(children.filter(isAlive)).toEqual([]);
});

const refusals: [name: string, change: Record<string, string | undefined>, says: RegExp][] = [
  ['an unknown setting', { TOOLGATE_PORT: '1' }, /TOOLGATE_PORT/],
  ['no database', { DATABASE_URL: undefined }, /DATABASE_URL is not set/],
  [
    'an unreachable PostgreSQL',
    { DATABASE_URL: 'postgres://127.0.0.1:1/toolgate' },
    /^Cannot connect to PostgreSQL at 127\.0\.0\.1:1: .*ECONNREFUSED.* DATABASE_URL/,
  ],
  ['a short SECRETS_KEY', { SECRETS_KEY: 'short' }, /SECRETS_KEY/],
  [
    'an unknown OpenFGA store',
    { OPENFGA_STORE_ID: '01HVMMBCMGZNT3SED4Z17ECXCA' },
    /OPENFGA_STORE_ID/,
  ],
  [
    'plain http on a public host',
    { PUBLIC_URL: 'http://gate.example.org' },
    /PUBLIC_URL must be https/,
  ],
];

test.each(refusals)(
  '%s makes the start fail with one line that names the problem',
  async (_, change, message) => {
    const { code, lines } = await expectStartFailure({ ...world.env, ...change });

    expect(code).not.toBe(0);
    expect(lines).toEqual([expect.stringMatching(message)]);
  },
);

test('the start fails if the deployed model differs from the code’s, even with workers (rel:F-O4)', async () => {
  const [row] = await world.query<{ model_hash: string }>(
    'SELECT model_hash FROM authz_deployment',
  );
  await world.query('UPDATE authz_deployment SET model_hash = $1', [randomUUID()]);
  try {
    const { code, lines } = await expectStartFailure(world.env);
    expect(code).not.toBe(0);
    expect(lines).toEqual([expect.stringMatching(/authorization model.*npm run migrate/)]);

    const workers = await expectStartFailure({ ...world.env, WORKERS: '2' });
    expect(workers.code).not.toBe(0);
    expect(new Set(workers.lines)).toEqual(new Set(lines));
  } finally {
    await world.query('UPDATE authz_deployment SET model_hash = $1', [row!.model_hash]);
  }
});
