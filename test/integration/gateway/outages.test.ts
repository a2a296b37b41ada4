import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKey, selectTools, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { createProxy } from '../../support/servers/proxy.ts';
import type { Proxy } from '../../support/servers/proxy.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';
import { ask } from '../mcp/key-holder.ts';

const SERVERS = {
  postgres: 'DATABASE_URL',
  redis: 'REDIS_URL',
  openfga: 'OPENFGA_API_URL',
  email: 'SMTP_URL',
} as const;
type Server = keyof typeof SERVERS;
const names = Object.keys(SERVERS) as Server[];

let world: World;
let gateway: Gateway;
let proxies: Record<Server, Proxy>;
let ada: SignedUp;
let secret: string;

beforeAll(async () => {
  world = await createWorld();
  const entries = await Promise.all(
    names.map(async (name) => [name, await createProxy(world.env[SERVERS[name]]!)] as const),
  );
  proxies = Object.fromEntries(entries) as Record<Server, Proxy>;
  gateway = await world.gateway({
    env: Object.fromEntries(names.map((name) => [SERVERS[name], proxies[name].url])),
  });
  ada = await signUp(world, gateway);
  await selectTools(ada, ['calculator']);
  ({ secret } = await createKey(ada));
});
afterAll(async () => {
  await world.close();
  await Promise.all(names.map((name) => proxies[name].close()));
});

interface Health {
  status: string;
  failing?: string[];
  degraded?: string[];
  errors?: object[];
}

async function health(): Promise<[status: number, body: Health]> {
  const answer = await fetch(`${gateway.url}/health`);
  return [answer.status, (await answer.json()) as Health];
}

const untilHealthy = () =>
  expect.poll(health, { timeout: 10_000 }).toEqual([200, { status: 'healthy' }]);

const mcp = (method: string, params: Parameters<typeof ask>[3] = {}, key = secret) =>
  ask(`${gateway.url}/mcp`, { 'x-api-key': key }, method, params);
const calculate = { name: 'calculator', arguments: { expression: '6*7' } };

describe('/health (reliability.md 1.1)', () => {
  afterEach(async () => {
    for (const name of names) proxies[name].pass();
    await untilHealthy();
  });

  test.each(['postgres', 'openfga'] as const)(
    'returns a 503 that names %s while it is unavailable',
    async (name) => {
      proxies[name].down();

      await expect.poll(health, { timeout: 10_000 }).toEqual([
        503,
        expect.objectContaining({
          status: 'unhealthy',
          failing: expect.arrayContaining([name]),
          errors: [
            {
              code: 'service_unavailable',
              message: 'The service is not ready.',
              detail: { failing: expect.arrayContaining([name]) },
            },
          ],
        }),
      ]);
    },
  );

  test.each(['redis', 'email'] as const)(
    'stays healthy without %s and names it as degraded',
    async (name) => {
      proxies[name].down();

      await expect
        .poll(health, { timeout: 10_000 })
        .toEqual([200, { status: 'healthy', degraded: [name] }]);
    },
  );

  test('returns a 503 once a change has waited for OpenFGA for five seconds', async () => {
    const waitsSince = (age: string) =>
      world.query(
        `UPDATE authz_scope SET revision = applied + 1, dirty_since = now() - $2::interval
         WHERE id = $1`,
        [ada.account_id, age],
      );

    await waitsSince('1 second');
    // The response is cached for a second.
    await pause(1_100);
    const [young] = await health();
    await waitsSince('6 seconds');
    await expect
      .poll(health, { timeout: 3_000 })
      .toMatchObject([503, { status: 'unhealthy', failing: ['authorization_backlog'] }]);
    await world.query('UPDATE authz_scope SET revision = applied, dirty_since = NULL');

    expect(young).toBe(200);
  });
});

describe.each(['down', 'stall'] as const)('while PostgreSQL is unavailable (%s)', (how) => {
  beforeEach(() => proxies.postgres[how]());
  afterEach(async () => {
    proxies.postgres.pass();
    await untilHealthy();
  });

  test('every request with a credential gets a 503, never a denial (F-P1, F-P3)', async () => {
    const rest = await Promise.all([
      ada.person.ask({ path: '/api/keys', headers: ada.bearer }),
      ada.person.ask({ path: '/api/me/tools/scopable', headers: { 'x-api-key': secret } }),
      ada.person.ask({ path: '/api/auth/login', body: { email: ada.email, password: 'wrong' } }),
    ]);
    const calls = await Promise.all([mcp('tools/list'), mcp('tools/call', calculate)]);

    for (const { status, body, headers } of rest) {
      expect([status, body]).toEqual([
        503,
        { errors: [{ code: 'service_unavailable', message: expect.any(String), detail: null }] },
      ]);
      expect(headers.get('retry-after')).toMatch(/^[1-9]/);
    }
    for (const { status, body } of calls) {
      expect(status).toBe(503);
      expect(body.error).toEqual({
        code: -32603,
        message: 'Temporarily unavailable. Try again shortly.',
      });
    }
  });

  test('requests without a credential are answered as usual', async () => {
    const statuses = await Promise.all(
      ['/health/live', '/api/openapi.json', '/api/keys', '/mcp'].map(
        async (path) => (await fetch(`${gateway.url}${path}`)).status,
      ),
    );

    expect(statuses).toEqual([200, 200, 401, 401]);
  });
});

test('after an outage of PostgreSQL, calls succeed again', async () => {
  proxies.postgres.down();
  const during = await mcp('tools/call', calculate);
  proxies.postgres.pass();
  await untilHealthy();
  const after = await mcp('tools/call', calculate);

  expect(during.status).toBe(503);
  expect(after.body).toMatchObject({ result: { structuredContent: { result: 42 } } });
});

describe('while OpenFGA is unavailable (rel:F-O1)', () => {
  afterEach(async () => {
    proxies.openfga.pass();
    await untilHealthy();
  });

  test('an uncached decision fails as unavailable, never as a denial or a shorter list', async () => {
    const cold = await createKey(ada);
    proxies.openfga.down();

    const listed = await mcp('tools/list', {}, cold.secret);
    const called = await mcp('tools/call', calculate, cold.secret);
    const managed = await ada.person.ask({
      path: '/api/me/tools/scopable',
      headers: { 'x-api-key': cold.secret },
    });

    const message = 'The authorization service is unavailable. Try again shortly.';
    for (const { status, headers, body } of [listed, called]) {
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect(body.error).toEqual({ code: -32603, message });
    }
    expect([managed.status, managed.body]).toEqual([
      503,
      { errors: [{ code: 'service_unavailable', message, detail: null }] },
    ]);
  });

  test('`setup` needs only the credential', async () => {
    const cold = await createKey(ada);
    proxies.openfga.down();

    const { status, body } = await mcp('tools/call', { name: 'setup', arguments: {} }, cold.secret);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      result: { structuredContent: { instruction: expect.any(String) } },
    });
  });

  test('signing out and deactivating an account work without OpenFGA (authorization.md 5)', async () => {
    const bob = await signUp(world, gateway, 'bob');
    const key = await createKey(bob);
    const eve = await signUp(world, gateway, 'eve');
    proxies.openfga.down();

    const signOut = await eve.person.ask({
      method: 'POST',
      path: '/api/auth/logout',
      headers: eve.bearer,
    });
    await gateway.service.activate(bob.email, 'deactivated');
    const after = await Promise.all([
      eve.person.ask({ path: '/api/keys', headers: eve.bearer }),
      bob.person.ask({ path: '/api/keys', headers: bob.bearer }),
      mcp('tools/list', {}, key.secret),
    ]);

    expect(signOut.status).toBe(204);
    expect(after.map(({ status }) => status)).toEqual([401, 401, 401]);
  });

  test('a key is revoked, and its tuples are deleted once OpenFGA is available again', async () => {
    const key = await createKey(ada);
    proxies.openfga.down();

    const revoked = await ada.person.ask({
      method: 'DELETE',
      path: `/api/keys/${key.id}`,
      headers: ada.bearer,
    });
    const after = await mcp('tools/list', {}, key.secret);
    const readPendingScopes = () =>
      world.query('SELECT id FROM authz_scope WHERE id = $1 AND applied < revision', [
        ada.account_id,
      ]);
    const waiting = await readPendingScopes();
    const closed = await ada.person.ask({
      path: '/api/me/tools/scopable',
      headers: { 'x-api-key': secret },
    });
    proxies.openfga.pass();

    const message = 'An earlier permission change has not taken effect yet. Try again shortly.';
    expect([closed.status, closed.body]).toMatchObject([503, { errors: [{ message }] }]);
    expect([revoked.status, after.status, waiting.length]).toEqual([204, 401, 1]);
    await expect.poll(readPendingScopes, { timeout: 10_000 }).toEqual([]);
  });
});
