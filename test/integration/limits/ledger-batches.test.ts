import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { insertCalls } from '../../../src/limits/ledger/store.ts';
import type { LedgerRow } from '../../../src/limits/ledger/row.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createProxy } from '../../support/servers/proxy.ts';
import { FACTS, useBench } from './bench.ts';

test('calls that differ in any field are each stored unchanged and counted in their month', async () => {
  const bench = await useBench();
  const database = await createDatabase({ url: bench.databaseUrl, onIdleError: () => {} });
  onTestFinished(database.close);
  const base = {
    ...{ month: '2025-11-01', owner_kind: 'account' as const, owner_id: newId() },
    ...{ kind: 'tool_call' as const, counted: true, ...FACTS },
    ...{ outcome: 'ok' as const, layer: 'ok' as const, duration_ms: 3 },
  };
  const differing: Partial<LedgerRow>[] = [
    ...[{}, { month: '2025-10-01' }, { owner_kind: 'organization' }, { owner_id: newId() }],
    ...[{ kind: 'system_call' }, { counted: false }, { account_id: newId() }, { key_id: newId() }],
    ...[{ item_id: 'a "quoted" {id},\\' }, { item_id: null }, { item_name: 'null' }],
    ...[{ item_name: null }, { outcome: 'failed' }, { layer: 'tool' }, { duration_ms: 4 }],
    { outcome: null, layer: null, duration_ms: null },
  ] as const;
  const rows = [...differing, ...differing].map((change) => ({
    ...base,
    ...change,
    call_id: newId(),
  }));

  const totals = await insertCalls(database.pool, rows);

  const counted = Map.groupBy(
    rows.filter((row) => row.counted),
    (row) => `${row.owner_kind} ${row.owner_id} ${row.month}`,
  );
  const returned = totals.map(({ quota_owner: owner, month, calls }) => [
    `${owner.kind} ${owner.id} ${month}-01`,
    calls,
  ]);
  expect(Object.fromEntries(returned)).toEqual(
    Object.fromEntries(Array.from(counted, ([month, { length }]) => [month, length])),
  );
  const days = await bench.query('SELECT sum(calls)::int AS calls FROM usage_day');
  const named = rows.filter((row) => row.counted && row.item_id !== null);
  expect(days).toEqual([{ calls: named.length }]);
  const stored = await bench.query(
    `SELECT call_id, month::text, owner_kind, owner_id, kind, counted, account_id, key_id, credential_kind,
       item_id, item_name, outcome, layer, duration_ms FROM usage_ledger ORDER BY call_id`,
  );
  const expected = rows.map(({ arguments: _arguments, space_id: _space, ...row }) => row);
  expect(stored).toEqual(expected.toSorted((a, b) => (a.call_id < b.call_id ? -1 : 1)));
});

test('rows with arguments keep them when written among rows without any', async () => {
  const bench = await useBench();
  const database = await createDatabase({ url: bench.databaseUrl, onIdleError: () => {} });
  onTestFinished(database.close);
  const owner = bench.owner();
  await bench.query(`INSERT INTO account (id) VALUES ($1)`, [owner.id]);
  const rows = [null, '{"a":1}', null, '{"a":2}', null].map((text) => ({
    ...{ call_id: newId(), month: '2025-11-01', owner_kind: owner.kind, owner_id: owner.id },
    ...{ kind: 'tool_call' as const, counted: true },
    ...{ ...FACTS, account_id: owner.id, arguments: text },
    ...{ outcome: null, layer: null, duration_ms: null },
  }));

  await insertCalls(database.pool, rows);

  const stored = await bench.query(
    'SELECT call_id, arguments FROM call_arguments ORDER BY arguments',
  );
  const [, first, , second] = rows;
  expect(stored).toEqual([
    { call_id: first?.call_id, arguments: '{"a":1}' },
    { call_id: second?.call_id, arguments: '{"a":2}' },
  ]);
  expect(await bench.ledger(owner)).toEqual({ rows: 5, total: 5 });
});

test('only the row PostgreSQL rejects is dropped, even if calls begin in the meantime', async () => {
  const bench = await useBench();
  const proxy = await createProxy(bench.databaseUrl);
  onTestFinished(proxy.close);
  const limits = await bench.gateway({ databaseUrl: proxy.url });
  const owner = bench.owner();
  await bench.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'not this one'; END $$`);
  await bench.query(`CREATE TRIGGER refuse BEFORE INSERT ON usage_ledger FOR EACH ROW
    WHEN (NEW.item_name = 'bad') EXECUTE FUNCTION refuse()`);
  const admit = (item_name: string) =>
    limits.admit({
      quota_owner: owner,
      kind: 'tool_call',
      call_id: newId(),
      facts: { ...FACTS, item_name },
    });
  await admit('first');
  await vi.waitFor(() => expect(limits.waitingRows()).toBe(0), 5_000);

  for (const name of ['a', 'b', 'bad', 'c', 'd', 'e']) await admit(name);
  // Slow enough that calls begin while the halves of the batch are written.
  proxy.delay(60);
  const later = ['f', 'g', 'h', 'i', 'j', 'k'];
  for (const name of later) {
    await setTimeout(120);
    await admit(name);
  }
  proxy.pass();
  await vi.waitFor(() => expect(limits.waitingRows()).toBe(0), 10_000);

  const stored = await bench.query('SELECT item_name FROM usage_ledger ORDER BY item_name');
  const names = ['a', 'b', 'c', 'd', 'e', ...later, 'first'].toSorted();
  expect(stored.map(({ item_name }) => item_name)).toEqual(names);
  expect(await bench.ledger(owner)).toEqual({ rows: 12, total: 12 });
});
