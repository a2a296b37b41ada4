import { expect, onTestFinished, test, vi } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { asRefusal } from '../../../src/platform/errors/outage.ts';
import { insertCalls } from '../../../src/limits/ledger/store.ts';
import { createProxy } from '../../support/servers/proxy.ts';
import type { Loss } from '../../support/servers/proxy.ts';
import { admittedOf, FACTS, times, useBench } from './bench.ts';
import type { Bench } from './bench.ts';

/** Creates a gateway that reaches PostgreSQL through a proxy. */
async function useProxiedGateway(bench: Bench) {
  const proxy = await createProxy(bench.databaseUrl);
  onTestFinished(proxy.close);
  return { proxy, limits: await bench.gateway({ databaseUrl: proxy.url }) };
}

for (const how of ['cut', 'mute'] satisfies Loss[])
  test(`a flush whose reply is lost (${how}) counts once (F-P9)`, async () => {
    const bench = await useBench();
    const { proxy, limits } = await useProxiedGateway(bench);
    const owner = bench.owner();
    await bench.call(limits, owner);
    await vi.waitFor(async () => expect((await bench.ledger(owner)).total).toBe(1), 5_000);

    proxy.loseReply('INSERT INTO usage_ledger', how);
    await times(7, () => bench.call(limits, owner));

    await vi.waitFor(() => expect(proxy.lost()).toBe(1), 5_000);
    await vi.waitFor(() => expect(limits.waitingRows()).toBe(0), 10_000);
    expect(await bench.ledger(owner)).toEqual({ rows: 8, total: 8 });
    await limits.stop();
    expect(await bench.counter(owner)).toBe(8);
  });

test('a seed after a flush with an unknown outcome counts no call twice (P9 b)', async () => {
  const bench = await useBench();
  const { proxy, limits } = await useProxiedGateway(bench);
  const owner = bench.owner();
  await bench.call(limits, owner);
  await vi.waitFor(async () => expect((await bench.ledger(owner)).total).toBe(1), 5_000);

  proxy.loseReply('INSERT INTO usage_ledger', 'cut');
  await times(7, () => bench.call(limits, owner));
  await vi.waitFor(() => expect(proxy.lost()).toBe(1), 5_000);
  await bench.redis.commands.del(`${bench.redis.prefix}lim:{account:${owner.id}}:calls`);
  await bench.call(limits, owner);

  expect(await bench.counter(owner)).toBe(9);
});

test('rows sent twice, sequentially or concurrently, raise month and day once (F-P9)', async () => {
  const bench = await useBench();
  const database = await createDatabase({ url: bench.databaseUrl, onIdleError: () => {} });
  onTestFinished(database.close);
  const owner = bench.owner();
  const rows = Array.from({ length: 5 }, () => ({
    ...{ call_id: newId(), month: '2025-11-01', owner_kind: owner.kind, owner_id: owner.id },
    ...{ kind: 'tool_call' as const, counted: true },
    ...FACTS,
    ...{ outcome: null, layer: null, duration_ms: null },
  }));

  await insertCalls(database.pool, rows);
  const again = await times(4, () => insertCalls(database.pool, rows));

  const total = { quota_owner: { kind: 'account', id: owner.id }, month: '2025-11', calls: 5 };
  expect(again).toEqual(again.map(() => [total]));
  expect(await bench.ledger(owner)).toEqual({ rows: 5, total: 5 });
  // A day of the month in which the calls count, however late they are written.
  expect(await bench.query('SELECT day::text, item_name, calls FROM usage_day')).toEqual([
    { day: '2025-11-30', item_name: 'calculator', calls: '5' },
  ]);
});

test('days add up to their month; calls that do not cost quota are in neither', async () => {
  const bench = await useBench();
  const gateways = [await bench.gateway(), await bench.gateway()];
  const owner = bench.owner();
  for (const kind of ['tool_call', 'system_call', 'content_read'] as const)
    for (const limits of gateways) await times(20, () => bench.call(limits, owner, kind));

  await Promise.all(gateways.map((limits) => limits.stop()));

  const days = await bench.query(
    'SELECT owner_id, sum(calls)::int AS calls FROM usage_day GROUP BY 1',
  );
  expect(days).toEqual([{ owner_id: owner.id, calls: 40 }]);
  expect(await bench.ledger(owner)).toEqual({ rows: 40, total: 40 });
});

test('arguments are stored with the call, truncated, for existing accounts only', async () => {
  const bench = await useBench();
  const limits = await bench.gateway();
  const owner = bench.owner();
  await bench.query(`INSERT INTO account (id) VALUES ($1)`, [owner.id]);
  const refuse = (account_id: string, text: string) =>
    limits.record({
      ...{
        quota_owner: owner,
        call_id: newId(),
        kind: 'tool_call',
        admission: null,
        duration_ms: 1,
      },
      facts: { ...FACTS, account_id, arguments: text },
      ...{ outcome: 'refused', layer: 'policy' },
    });
  refuse(owner.id, `{"text":"${'€'.repeat(3_000)}"}`);
  refuse(newId(), '{"of":"nobody"}');
  await limits.stop();

  const stored = await bench.query('SELECT account_id, arguments FROM call_arguments');
  expect(stored).toEqual([{ account_id: owner.id, arguments: `{"text":"${'€'.repeat(1_362)}` }]);
  expect(await bench.query('SELECT outcome, layer FROM usage_ledger')).toEqual([
    { outcome: 'refused', layer: 'policy' },
    { outcome: 'refused', layer: 'policy' },
  ]);
  await bench.query('DELETE FROM account');
  expect(await bench.query('SELECT * FROM call_arguments')).toEqual([]);
});

test('the number of refused calls that wait for the ledger is bounded', async () => {
  const bench = await useBench();
  const limits = await bench.gateway({ isStarted: false });
  const owner = bench.owner();
  for (let call = 0; call < 2_000; call += 1)
    limits.record({
      ...{ quota_owner: owner, facts: FACTS, call_id: newId(), kind: 'tool_call', admission: null },
      ...{ outcome: 'refused', layer: 'absent', duration_ms: 1 },
    });
  // A new minute may have begun in the meantime.
  expect(limits.waitingRows()).toBeGreaterThanOrEqual(600);
  expect(limits.waitingRows()).toBeLessThanOrEqual(1_200);
});

test('a call is in the ledger while it runs, and its outcome is added when it ends', async () => {
  const bench = await useBench();
  const limits = await bench.gateway();
  const owner = bench.owner();
  const call_id = newId();
  const facts = { ...FACTS, key_id: 'not a uuid', item_name: 'hash\u0000\ud800' };
  const call = { quota_owner: owner, kind: 'tool_call', call_id, facts } as const;
  const admission = await limits.admit(call);
  if (!admission.admitted) throw new TypeError('a first call is admitted');
  const read = () =>
    bench.query(
      `SELECT key_id, item_name, outcome, layer, duration_ms FROM usage_ledger WHERE call_id = $1`,
      [call_id],
    );
  const opened = { key_id: null, item_name: 'hash\ufffd' };
  await vi.waitFor(async () => {
    expect(await read()).toEqual([{ ...opened, outcome: null, layer: null, duration_ms: null }]);
  }, 5_000);

  limits.record({ ...call, admission, outcome: 'timed_out', layer: 'tool', duration_ms: 12.4 });

  const ended = { outcome: 'timed_out', layer: 'tool', duration_ms: 12 };
  await vi.waitFor(async () => {
    expect(await read()).toEqual([{ ...opened, ...ended }]);
  }, 5_000);
  expect(await bench.ledger(owner)).toEqual({ rows: 1, total: 1 });
});

test('once ten thousand rows wait for PostgreSQL, no call is admitted (1.1)', async () => {
  const bench = await useBench();
  const { proxy, limits } = await useProxiedGateway(bench);
  const owner = bench.owner();
  await bench.call(limits, owner);
  await vi.waitFor(() => expect(limits.waitingRows()).toBe(0), 5_000);
  proxy.down();
  const answers = await times(100, () => bench.call(limits, owner));
  const read = { quota_owner: owner, facts: FACTS, admission: null, kind: 'content_read' } as const;
  for (let call = 0; call < 11_000; call += 1)
    limits.record({ ...read, call_id: newId(), outcome: 'ok', layer: 'ok', duration_ms: 1 });

  await expect(bench.call(limits, owner)).rejects.toMatchObject({ kind: 'unavailable' });

  expect(admittedOf(answers)).toBe(100);
  expect(limits.waitingRows()).toBe(10_000);
  proxy.pass();
  await vi.waitFor(() => expect(limits.waitingRows()).toBe(0), 15_000);
  expect(await bench.call(limits, owner)).toMatchObject({ admitted: true });
  await limits.stop();
  expect(await bench.ledger(owner)).toEqual({ rows: 102, total: 102 });
  expect(await bench.counter(owner)).toBe(102);
});

test("with Redis empty and PostgreSQL unavailable, calls are refused: the month's count is unknown", async () => {
  const bench = await useBench();
  const { proxy, limits } = await useProxiedGateway(bench);
  proxy.down();

  const call = bench.call(limits, bench.owner());

  await expect(call).rejects.toSatisfy((error) => asRefusal(error)?.kind === 'unavailable');
});

test('partitions are created in advance, and a row without one is still stored', async () => {
  const bench = await useBench();
  const partitions = () =>
    bench.query(
      `SELECT count(*)::int AS count FROM pg_inherits WHERE inhparent = 'usage_ledger'::regclass`,
    );
  expect(await partitions()).toEqual([{ count: 5 }]);
  await bench.query('SELECT usage_ledger_prepare(5)');
  expect(await partitions()).toEqual([{ count: 8 }]);

  const owner = bench.owner();
  await bench.query(
    `INSERT INTO usage_ledger (call_id, month, owner_kind, owner_id, kind, counted)
     VALUES ($1, (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '6 months')::date,
       'account', $2, 'tool_call', true)`,
    [newId(), owner.id],
  );
  await bench.query('SELECT usage_ledger_prepare(7)');

  expect(await partitions()).toEqual([{ count: 9 }]);
  expect((await bench.ledger(owner)).rows).toBe(1);
});

test('calls and days are deleted after thirteen months, arguments after thirty days', async () => {
  const bench = await useBench();
  await bench.query('SELECT usage_ledger_prepare(2)');
  const owner = bench.owner();
  const month = (ago: number) => `date_trunc('month', now() AT TIME ZONE 'UTC')::date
    - interval '${ago} months'`;
  for (const ago of [14, 13])
    await bench.query(`DO $$ BEGIN EXECUTE format(
      'CREATE TABLE %I PARTITION OF usage_ledger FOR VALUES FROM (%L) TO (%L)',
      'usage_ledger_' || to_char(${month(ago)}, 'YYYY_MM'), ${month(ago)}, ${month(ago - 1)});
    END $$`);
  for (const ago of [20, 14, 13, 5])
    await bench.query(
      `WITH call AS (
         INSERT INTO usage_ledger (call_id, month, owner_kind, owner_id, kind, counted)
         VALUES ($1, ${month(ago)}, 'account', $2, 'tool_call', true) RETURNING month)
       INSERT INTO usage_month SELECT 'account', $2, month, 1 FROM call`,
      [newId(), owner.id],
    );

  await bench.query(`INSERT INTO account (id) VALUES ($1)`, [owner.id]);
  for (const days of [31, 29])
    await bench.query(
      `INSERT INTO call_arguments VALUES ($1, $2, $3, now() - make_interval(days => $4))`,
      [newId(), owner.id, `{"days":${days}}`, days],
    );
  await bench.query(
    `INSERT INTO usage_day SELECT 'account', $1, (now() - make_interval(months => ago))::date,
       ago, 'calculator', 1 FROM unnest(ARRAY[14, 12]) AS ago`,
    [owner.id],
  );

  await bench.gateway();

  await vi.waitFor(async () => {
    expect(await bench.ledger(owner)).toEqual({ rows: 2, total: 4 });
    expect(await bench.query('SELECT item_id FROM usage_day')).toEqual([{ item_id: '12' }]);
    expect(await bench.query('SELECT arguments FROM call_arguments')).toEqual([
      { arguments: '{"days":29}' },
    ]);
  });
  expect(
    await bench.query(
      `SELECT to_regclass('usage_ledger_' || to_char(${month(14)}, 'YYYY_MM')) AS gone`,
    ),
  ).toEqual([{ gone: null }]);
});
