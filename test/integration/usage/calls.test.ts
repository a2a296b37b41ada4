import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ownAddresses } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { ask, createKeyHolder, toolId } from '../mcp/key-holder.ts';

const { world, gateway } = await useGateway(ownAddresses);
const anyHolder = await createKeyHolder(world, gateway);

interface ListedCall {
  id: string;
  key: { id: string; name?: string } | null;
  item: { id: string | null; name: string | null };
  outcome: string | null;
  layer: string | null;
  arguments: string | null;
}
interface Calls {
  data: ListedCall[];
  next_cursor: string | null;
  errors?: { code: string }[];
}
type Holder = Awaited<ReturnType<typeof createKeyHolder>>;

const read = ({ person, bearer }: Holder, query = '') =>
  person.ask<Calls>({ path: `/api/me/calls${query}`, headers: bearer });
const call = ({ endpoint }: Holder, secret: string, name: string, args: object = {}) =>
  ask(endpoint, { 'x-api-key': secret }, 'tools/call', { name, arguments: args });
/** Waits until this many calls are listed; returns them, newest first. */
const readCalls = async (holder: Holder, count: number) => {
  await expect.poll(async () => (await read(holder)).body.data.length).toBe(count);
  return (await read(holder)).body.data;
};
const setRecording = ({ person, bearer }: Holder, isRecorded: boolean) =>
  person.ask<object>({
    method: 'PATCH',
    path: '/api/me/settings',
    body: { call_audit: { arguments: isRecorded } },
    headers: bearer,
  });

/** Inserts a row as a gateway may have written it, `second` seconds after a fixed time. */
async function addCall(holder: Holder, second: number, row: Record<string, unknown> = {}) {
  const id = randomUUID();
  const { outcome = 'ok', key_id = null, item_name = 'hash', at } = row;
  await world.query(
    `INSERT INTO usage_ledger (call_id, month, owner_kind, owner_id, kind, counted, account_id,
       key_id, item_id, item_name, outcome, layer, duration_ms, created_at)
     VALUES ($1, '2026-01-01', 'account', $2, 'tool_call', true, $2, $3, 'id-of-hash', $4, $5, 'ok', 3,
       coalesce($6::timestamptz, '2026-01-15T00:00:00Z'::timestamptz + make_interval(secs => $7)))`,
    [id, holder.account_id, key_id, item_name, outcome, at ?? null, second],
  );
  return id;
}

test('each call is listed with its key, item, outcome and deciding layer', async () => {
  const ada = await createKeyHolder(world, gateway);
  await ada.select(['calculator', 'hash']);
  const tool_policy = { mode: 'blacklist', tools: [toolId('hash')] };
  const key = await ada.createKey({ name: 'laptop', tool_policy });
  const bare = await ada.createKey({ name: 'bare', mcp_capabilities: [] });

  await call(ada, key.secret, 'calculator', { expression: '1+1' });
  await call(ada, key.secret, 'calculator', { expression: '1/0' });
  await call(ada, key.secret, 'calculator', { expression: 5 });
  await call(ada, key.secret, 'setup');
  await call(ada, key.secret, 'hash', { text: 'a' });
  await call(ada, key.secret, 'uuid');
  await call(ada, key.secret, 'nothing at all');
  await call(ada, bare.secret, 'calculator', { expression: '1+1' });

  const rows = await readCalls(ada, 8);
  const laptop = { id: key.id, name: 'laptop' };
  expect(
    rows.map(({ item, outcome, layer }) => `${item.name}: ${outcome}, ${layer}`).toSorted(),
  ).toEqual(
    [
      'calculator: ok, ok',
      'calculator: tool_error, tool',
      'calculator: refused, arguments',
      'setup: ok, ok',
      'hash: refused, policy',
      'uuid: refused, selection',
      'null: refused, absent',
      'calculator: refused, capability',
    ].toSorted(),
  );
  expect(rows.find(({ outcome }) => outcome === 'tool_error')).toEqual({
    id: expect.any(String),
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    key: laptop,
    kind: 'tool_call',
    item: { id: toolId('calculator'), name: 'calculator' },
    outcome: 'tool_error',
    layer: 'tool',
    duration_ms: expect.any(Number),
    arguments: null,
  });
  expect(rows.find(({ layer }) => layer === 'absent')!.item.id).toBeNull();
  expect(rows.filter(({ key: credential }) => credential?.name === 'bare')).toHaveLength(1);
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  const seconds = 'toolgate_call_seconds_count{tool="calculator",kind="tool_call"';
  expect(metrics).toContain(`${seconds},outcome="tool_error"} 1`);
  expect(metrics).toContain('toolgate_calls_refused_total{kind="tool_call",layer="policy"} 1');
  expect(metrics).not.toContain('nothing at all');
});

test('call arguments are recorded only while the account opts in, from the next call on', async () => {
  const ada = await createKeyHolder(world, gateway);
  await ada.select(['hash']);
  const key = await ada.createKey();
  const send = (text: string) => call(ada, key.secret, 'hash', { text });

  await send('before');
  expect((await setRecording(ada, true)).body).toEqual({ call_audit: { arguments: true } });
  await send('meanwhile');
  await send('x'.repeat(10_000));
  await setRecording(ada, false);
  await send('after');

  const kept = (await readCalls(ada, 4))
    .map((row) => row.arguments)
    .filter((text) => text !== null);
  expect(kept.toSorted()).toEqual([
    JSON.stringify({ text: 'meanwhile' }),
    `{"text":"${'x'.repeat(4_096 - 9)}`,
  ]);
  const columns = await world.query<{ row: string }>(
    'SELECT l::text AS row FROM usage_ledger l WHERE owner_id = $1',
    [ada.account_id],
  );
  expect(columns.some(({ row }) => row.includes('meanwhile'))).toBe(false);
});

test('arguments of a call to an unknown tool are not recorded, since they may contain a misplaced secret', async () => {
  const ada = await createKeyHolder(world, gateway);
  const { secret } = await ada.createKey();
  await setRecording(ada, true);

  await call(ada, secret, 'create_custom_tols', { secrets: { TOKEN: 'canary' } });

  const [row] = await readCalls(ada, 1);
  expect(row).toMatchObject({ item: { id: null, name: null }, layer: 'absent', arguments: null });
});

test('the list contains no other account’s call, and another account’s cursor or key reveals nothing (rel:P1)', async () => {
  const [ada, eve] = [await createKeyHolder(world, gateway), await createKeyHolder(world, gateway)];
  const key = await eve.createKey({ name: 'of eve' });
  const foreign = await addCall(eve, 1, { key_id: key.id });
  await addCall(ada, 1, { key_id: key.id });

  const { body } = await read(ada);
  expect(body.data.map(({ key: credential }) => credential)).toEqual([{ id: key.id }]);
  expect((await read(ada, `?cursor=${foreign}`)).body.errors?.[0]?.code).toBe('invalid_cursor');
  expect((await read(ada, `?cursor=${randomUUID()}`)).status).toBe(400);
});

test('pagination has no gaps or duplicates, even among rows with equal timestamps', async () => {
  const ada = await createKeyHolder(world, gateway);
  const ids: string[] = [];
  for (let row = 0; row < 7; row += 1) ids.push(await addCall(ada, Math.floor(row / 3)));

  const seen: string[] = [];
  let query = '?limit=2';
  for (let page = 0; page < 10 && query !== ''; page += 1) {
    const { body } = await read(ada, query);
    seen.push(...body.data.map(({ id }) => id));
    query = body.next_cursor === null ? '' : `?limit=2&cursor=${body.next_cursor}`;
  }

  expect([seen.length, new Set(seen)]).toEqual([7, new Set(ids)]);
  expect(new Set(seen.slice(0, 1))).toEqual(new Set(ids.slice(6)));
  expect(new Set(seen.slice(1, 4))).toEqual(new Set(ids.slice(3, 6)));
});

test('calls can be filtered by key, item, outcome and time, alone or combined', async () => {
  const ada = await createKeyHolder(world, gateway);
  const key_id = randomUUID();
  const first = await addCall(ada, 1, { key_id });
  const second = await addCall(ada, 2, { key_id, outcome: 'tool_error' });
  const third = await addCall(ada, 3, { item_name: 'uuid' });
  const idsOf = async (query: string) => (await read(ada, query)).body.data.map(({ id }) => id);

  expect(await idsOf(`?key_id=${key_id}`)).toEqual([second, first]);
  expect(await idsOf('?item=hash')).toEqual([second, first]);
  expect(await idsOf('?item=id-of-hash')).toEqual([third, second, first]);
  expect(await idsOf('?outcome=tool_error')).toEqual([second]);
  expect(await idsOf(`?key_id=${key_id}&outcome=ok`)).toEqual([first]);
  expect(await idsOf('?from=2026-01-15T00:00:02Z&to=2026-01-15T00:00:03Z')).toEqual([second]);
});

test.each([
  'key_id=nobody',
  'item=',
  'item=%00',
  'item=calc%00ulator',
  'outcome=fine',
  'from=yesterday',
  'to=0000-01-01T00:00:00Z',
  'from=9999-12-31T23:59:59-23:59',
  'to=9999-12-31T23:59:59-23:59',
  'limit=0',
  'limit=201',
  'cursor=1',
])('a malformed filter is rejected with 400: %s', async (query) => {
  expect((await read(anyHolder, `?${query}`)).status).toBe(400);
});

test('deleting an account deletes its recorded arguments', async () => {
  const ada = await createKeyHolder(world, gateway);
  const key = await ada.createKey();
  await setRecording(ada, true);
  await call(ada, key.secret, 'nothing', { text: 'of a deleted account' });
  await readCalls(ada, 1);

  const { status } = await ada.person.ask({
    method: 'DELETE',
    path: '/api/user/account',
    body: { confirm: ada.email, current_password: ada.password },
    headers: ada.bearer,
  });

  expect(status).toBe(204);
  const left = 'SELECT FROM call_arguments WHERE account_id = $1';
  expect(await world.query(left, [ada.account_id])).toEqual([]);
});
