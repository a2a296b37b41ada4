import { expect, test } from 'vitest';
import { ownAddresses } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { ask, createKeyHolder, toolId } from '../mcp/key-holder.ts';

const { world, gateway } = await useGateway(ownAddresses);

type Holder = Awaited<ReturnType<typeof createKeyHolder>>;

interface UsageBody {
  windows: { window: string; limit: number; used: number; resets_at: string }[];
  month: { limit: number; used: number; resets_at: string };
  tools: { id: string; name: string; calls: number }[];
}
interface DashboardBody {
  keys: number;
  items: object;
  selected_tools: number;
  calls: { day: string; calls: number }[];
  errors: { item: { name: string }; outcome: string; layer: string }[];
}

const get = <Body>({ person, bearer }: Holder, path: string) =>
  person.ask<Body>({ path, headers: bearer });
const call = ({ endpoint }: Holder, secret: string, name: string, args: object = {}) =>
  ask(endpoint, { 'x-api-key': secret }, 'tools/call', { name, arguments: args });
/** Inserts a daily count, this many days ago. */
const addDay = ({ account_id }: Holder, ago: number, [id, name, calls]: [string, string, number]) =>
  world.query(
    `INSERT INTO usage_day VALUES
       ('account', $1, (now() AT TIME ZONE 'UTC')::date - $2::int, $3, $4, $5)`,
    [account_id, ago, id, name, calls],
  );

test('usage returns the calls in each window and in the month, and per tool', async () => {
  const ada = await createKeyHolder(world, gateway);
  await ada.select(['calculator', 'uuid']);
  const { secret } = await ada.createKey();
  for (let n = 0; n < 3; n += 1) await call(ada, secret, 'uuid');
  await call(ada, secret, 'calculator', { expression: '1/0' });
  await call(ada, secret, 'setup');
  await call(ada, secret, 'nothing');
  await addDay(ada, 40, ['gone', 'gone', 7]);

  const read = () => get<UsageBody>(ada, '/api/me/usage');
  await expect.poll(async () => (await read()).body.tools.length).toBe(2);
  const { body } = await read();

  expect(body.tools).toEqual([
    { id: toolId('uuid'), name: 'uuid', calls: 3 },
    { id: toolId('calculator'), name: 'calculator', calls: 1 },
  ]);
  expect(body.month).toEqual({ limit: 10_000, used: 4, resets_at: expect.stringMatching(/Z$/) });
  // A minute or a day may end between the calls.
  expect(body.windows.map(({ window, limit }) => [window, limit])).toEqual([
    ['minute', 60],
    ['hour', 1_000],
    ['day', 5_000],
  ]);
  expect(Math.max(...body.windows.map(({ used }) => used))).toBe(5);
});

test('the dashboard counts current objects, and shows thirty days and the last errors', async () => {
  const ada = await createKeyHolder(world, gateway);
  await ada.select(['calculator', 'uuid']);
  const { secret } = await ada.createKey();
  const { id } = await ada.createKey();
  await ada.revoke(id);
  await addDay(ada, 3, ['a', 'a', 2]);
  await addDay(ada, 3, ['b', 'b', 5]);
  await addDay(ada, 29, ['a', 'a', 1]);
  await addDay(ada, 30, ['a', 'a', 100]);
  await call(ada, secret, 'nothing');
  await call(ada, secret, 'uuid');
  await call(ada, secret, 'hash');

  const read = () => get<DashboardBody>(ada, '/api/me/dashboard');
  await expect.poll(async () => (await read()).body.calls.at(-1)?.calls).toBe(1);
  await expect.poll(async () => (await read()).body.errors.length).toBe(2);
  const { body } = await read();

  expect(body).toMatchObject({
    keys: 1,
    items: { tools: 0, prompts: 0, resources: 0, agents: 0 },
    selected_tools: 2,
  });
  expect(body.calls).toHaveLength(30);
  expect(body.calls.map(({ calls }) => calls).filter((calls) => calls > 0)).toEqual([1, 7, 1]);
  expect([body.calls[0]!.calls, body.calls[26]!.calls]).toEqual([1, 7]);
  const days = body.calls.map(({ day }) => Date.parse(day) / 86_400_000);
  expect(days).toEqual(days.map((_, index) => days[0]! + index));
  expect(body.errors.map(({ item, layer }) => `${item.name}: ${layer}`).toSorted()).toEqual([
    'hash: selection',
    'null: absent',
  ]);
  expect(JSON.stringify(body.errors)).not.toContain('arguments');
});

const guarded = [
  ['GET', '/api/me/usage', 'can_view_usage'],
  ['GET', '/api/me/dashboard', 'can_view_dashboard'],
  ['GET', '/api/me/settings', 'can_update_settings'],
  ['PATCH', '/api/me/settings', 'can_update_settings'],
] as const;

test.each(guarded)('%s %s requires a key to have %s', async (method, path, permission) => {
  const ada = await createKeyHolder(world, gateway);
  const otherPermissions = guarded.map(([, , name]) => name).filter((name) => name !== permission);
  const requestWith = async (permissions: readonly string[] | null) => {
    const grants = permissions === null ? [] : [{ scope: { type: 'personal' }, permissions }];
    const { secret } = await ada.createKey({ grants });
    return ada.person.ask<{ errors?: object[] }>({
      ...{ method, path, headers: { 'x-api-key': secret } },
      ...(method === 'PATCH' ? { body: {} } : {}),
    });
  };

  expect((await requestWith([permission])).status).toBe(200);
  const denied = await requestWith([...new Set(otherPermissions)]);
  expect([denied.status, denied.body.errors]).toEqual([
    403,
    [{ code: 'permission_denied', message: expect.any(String), detail: { permission } }],
  ]);
  expect((await requestWith(null)).status).toBe(401);
});

test('calls can be listed only in a session: a key gets a 403, regardless of its grants', async () => {
  const ada = await createKeyHolder(world, gateway);
  const grants = [{ scope: { type: 'personal' }, permissions: ['can_view_usage'] }];
  const { secret } = await ada.createKey({ grants });

  const headers = { 'x-api-key': secret };
  expect((await ada.person.ask({ path: '/api/me/calls', headers })).status).toBe(403);
});

test('settings change only the fields sent, and are audited', async () => {
  const ada = await createKeyHolder(world, gateway);
  const change = (body: object) =>
    ada.person.ask<object>({
      method: 'PATCH',
      path: '/api/me/settings',
      body,
      headers: ada.bearer,
    });
  const recording = { call_audit: { arguments: true } };

  expect((await get(ada, '/api/me/settings')).body).toEqual({ call_audit: { arguments: false } });
  expect((await change(recording)).body).toEqual(recording);
  for (const nothing of [{}, { call_audit: {} }, { plan: 'pro' }])
    expect([(await change(nothing)).status, (await change(nothing)).body]).toEqual([
      200,
      recording,
    ]);
  for (const bad of [{ call_audit: { arguments: 'yes' } }, { call_audit: null }, { call_audit: 1 }])
    expect((await change(bad)).status).toBe(400);

  expect((await get(ada, '/api/me/settings')).body).toEqual(recording);
  const { body } = await get<{ data: object[] }>(ada, '/api/me/audit?action=settings.');
  expect(body.data).toEqual([
    expect.objectContaining({ action: 'settings.update', detail: recording }),
  ]);
});

test('without Redis, the windows are unknown: usage returns a 503, but the dashboard still works', async () => {
  const withoutRedis = await world.gateway({ env: { REDIS_URL: 'redis://127.0.0.1:1' } });
  const ada = await createKeyHolder(world, gateway);
  const { secret } = await ada.createKey({
    grants: [
      { scope: { type: 'personal' }, permissions: ['can_view_usage', 'can_view_dashboard'] },
    ],
  });
  const statusOf = async (path: string) =>
    (await fetch(`${withoutRedis.url}${path}`, { headers: { 'x-api-key': secret } })).status;

  expect(await statusOf('/api/me/usage')).toBe(503);
  expect(await statusOf('/api/me/dashboard')).toBe(200);
});
