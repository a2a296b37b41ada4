import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { findCall, findHorizon, listCalls } from '../../../src/usage/store.ts';
import type { CallFilters } from '../../../src/usage/store.ts';
import { ownAddresses } from '../../support/people/people.ts';
import { createExplainingQueryable } from '../../support/worlds/explaining-queryable.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { createKeyHolder } from '../mcp/key-holder.ts';

const CALLS = 30_000;
const MAX_SCANNED = 10_000;

const frequentKey = randomUUID();
const rareKey = randomUUID();

/** Inserts one call per minute before a fixed day; the oldest has a key that was used only once. */
const addCalls = (owner_id: string) =>
  world.query(
    `INSERT INTO usage_ledger (call_id, month, owner_kind, owner_id, kind, counted, account_id,
       key_id, item_id, item_name, outcome, layer, duration_ms, created_at)
     SELECT gen_random_uuid(), '2026-01-01', 'account', $1, 'tool_call', true, $1,
       CASE WHEN n = $2 THEN $4::uuid ELSE $3::uuid END, 'id-of-hash', 'hash',
       CASE WHEN n % 2 = 0 THEN 'ok' ELSE 'refused' END, 'ok', 3,
       '2026-01-15T00:00:00Z'::timestamptz - make_interval(mins => n)
     FROM generate_series(1, $2::int) AS n`,
    [owner_id, CALLS, frequentKey, rareKey],
  );

const world = await closeAfterTests(createWorld(ownAddresses));
const ada = await createKeyHolder(world, await world.gateway());
await addCalls(ada.account_id);
await addCalls(randomUUID());
await world.query('ANALYZE usage_ledger');

interface Calls {
  data: { id: string; key: { id: string } }[];
  next_cursor: string | null;
}
const read = async (query: string) => {
  const request = { path: `/api/me/calls?${query}`, headers: ada.bearer };
  const { status, body } = await ada.person.ask<Calls>(request);
  expect(status).toBe(200);
  return body;
};

test('a search with few matches continues where its page ended, and finds all of them', async () => {
  const pages: number[] = [];
  const found: string[] = [];
  let cursor = '';
  do {
    const page = await read(`key_id=${rareKey}${cursor}`);
    pages.push(page.data.length);
    found.push(...page.data.map(({ key }) => key.id));
    cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
  } while (cursor !== '' && pages.length < 10);

  // Three searches of ten thousand calls each; since the third is full, a fourth looks for more.
  expect(pages).toEqual([0, 0, 1, 0]);
  expect(found).toEqual([rareKey]);
});

test('a full page ends at its own last call', async () => {
  const page = await read(`key_id=${frequentKey}&limit=3`);
  const next = await read(`key_id=${frequentKey}&limit=3&cursor=${page.next_cursor}`);
  const both = await read(`key_id=${frequentKey}&limit=6`);

  expect(page.data).toHaveLength(3);
  expect([...page.data, ...next.data]).toEqual(both.data);
});

test('pages that end among calls with equal timestamps neither omit nor repeat calls', async () => {
  const eve = await createKeyHolder(world, await world.gateway());
  await world.query(
    `INSERT INTO usage_ledger (call_id, month, owner_kind, owner_id, kind, counted, created_at)
     SELECT gen_random_uuid(), '2026-01-01', 'account', $1, 'tool_call', true,
       '2026-01-15T00:00:00Z'::timestamptz - make_interval(secs => n / 10)
     FROM generate_series(0, 39) AS n`,
    [eve.account_id],
  );
  const pages: string[][] = [];
  let cursor = '';
  do {
    const request = { path: `/api/me/calls?limit=7${cursor}`, headers: eve.bearer };
    const { body } = await eve.person.ask<Calls>(request);
    pages.push(body.data.map(({ id }) => id));
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
  } while (cursor !== '');

  const all = await world.query<{ id: string }>(
    `SELECT call_id AS id FROM usage_ledger WHERE owner_id = $1
     ORDER BY created_at DESC, call_id DESC`,
    [eve.account_id],
  );
  expect(pages.flat()).toEqual(all.map(({ id }) => id));
  expect(pages).toHaveLength(6);
});

const filters: Record<string, CallFilters> = {
  key: { credential_id: randomUUID() },
  item: { item: 'nothing' },
  'a frequent outcome': { outcome: 'ok', credential_id: rareKey },
  'an absent outcome': { outcome: 'timed_out' },
  'a time': { from: '2025-12-20T00:00:00Z', to: '2026-01-14T00:00:00Z', item: 'nothing' },
  everything: {
    ...{
      credential_id: frequentKey,
      item: 'hash',
      outcome: 'timed_out',
      from: '2025-01-01T00:00:00Z',
    },
    to: '2026-01-14T00:00:00Z',
  },
};

test.each(Object.entries(filters))(
  'with a filter by %s, an index finds the calls and reads at most ten thousand',
  async (_, filter) => {
    const { scans, db } = createExplainingQueryable(world);
    const owner = { kind: 'account', id: ada.account_id } as const;
    const [newest] = (await read('limit=1')).data;

    for (const after of [null, await findCall(db, owner, newest!.id)]) {
      const search = { after, ...filter };
      const horizon = await findHorizon(db, owner, { ...search, maxScanned: MAX_SCANNED });
      await listCalls(db, owner, { ...search, horizon, limit: 51 });
    }

    expect(scans.filter(({ type, rows }) => type.includes('Seq') && rows > 0)).toEqual([]);
    expect(Math.max(...scans.map(({ rows }) => rows))).toBeLessThanOrEqual(MAX_SCANNED);
  },
);

test.each([{}, { item: 'nothing' }, { outcome: 'timed_out' as const }])(
  'an index finds the calls of one key among those of others, with the filter %j',
  async (filter) => {
    for (const [id, calls] of [
      [rareKey, 2],
      [randomUUID(), 0],
    ] as const) {
      const { scans, db } = createExplainingQueryable(world);
      const search = { after: null, ...filter };
      const source = { kind: 'key', id } as const;
      await findHorizon(db, source, { ...search, maxScanned: MAX_SCANNED });
      await listCalls(db, source, { ...search, horizon: null, limit: 51 });
      expect(Math.max(...scans.map(({ rows }) => rows)), id).toBeLessThanOrEqual(calls);
      expect(scans.filter(({ type, rows }) => type.includes('Seq') && rows > 0)).toEqual([]);
    }
  },
);
