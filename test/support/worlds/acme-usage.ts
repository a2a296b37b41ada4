import { randomUUID } from 'node:crypto';
import type { World } from './world.ts';

const DAYS = 30;
const DAY_MS = 86_400_000;

/** How often a tool is called on a working day. */
const CALLS: Readonly<Record<string, number>> = {
  get_ticket: 64,
  web_fetch: 41,
  json_query: 27,
  calculator: 18,
  text_diff: 12,
  semver_compare: 9,
  get_order: 7,
};

/** Adds a month of calls: fewer on weekends, more towards today, and the same in each run. */
export async function insertUsage(
  { query }: Pick<World, 'query'>,
  {
    organization_id,
    account_id,
    keys,
  }: { organization_id: string; account_id: string; keys: Readonly<Record<string, string>> },
): Promise<void> {
  const owners = [
    ['account', account_id],
    ['organization', organization_id],
  ] as const;
  for (const [kind, owner] of owners)
    for (let ago = 0; ago < DAYS; ago += 1) {
      const day = new Date(Date.now() - ago * DAY_MS);
      const weight = [0, 6].includes(day.getUTCDay()) ? 0.2 : 1 - ago / 60 + ((ago * 7) % 5) / 12;
      for (const [name, most] of Object.entries(CALLS))
        await query(
          `INSERT INTO usage_day (owner_kind, owner_id, day, item_id, item_name, calls)
           VALUES ($1, $2, $3, $4, $4, $5) ON CONFLICT DO NOTHING`,
          [kind, owner, day, name, Math.round(most * weight)],
        );
      await query(
        `INSERT INTO usage_uncounted (owner_kind, owner_id, day, refused, content_reads)
         VALUES ($1, $2, $3, $4, 11) ON CONFLICT DO NOTHING`,
        [kind, owner, day, (ago * 3) % 7],
      );
    }
  await query(
    `INSERT INTO usage_month (owner_kind, owner_id, month, calls)
     SELECT owner_kind, owner_id, date_trunc('month', day)::date, sum(calls) FROM usage_day
     GROUP BY 1, 2, 3
     ON CONFLICT (owner_id, owner_kind, month) DO UPDATE SET calls = excluded.calls`,
  );
  await insertCalls({ query }, { account_id, keys: Object.values(keys) });
}

/** The layer that decided each outcome. */
const LAYERS = { ok: 'ok', tool_error: 'tool', refused: 'capability' } as const;

/** Adds the latest calls one by one, as the lists of calls show them. */
async function insertCalls(
  { query }: Pick<World, 'query'>,
  { account_id, keys }: { account_id: string; keys: readonly string[] },
) {
  const names = Object.keys(CALLS);
  for (let place = 0; place < 60; place += 1) {
    const at = new Date(Date.now() - (place + 1) * 1_140_000);
    const outcome = place % 11 === 4 ? 'refused' : place % 17 === 9 ? 'tool_error' : 'ok';
    await query(
      `INSERT INTO usage_ledger (call_id, month, owner_kind, owner_id, kind, counted, account_id,
         key_id, credential_kind, item_id, item_name, outcome, layer, duration_ms, created_at)
       VALUES ($1, date_trunc('month', $2::timestamptz)::date, 'account', $3, 'tool_call', true, $3,
         $4, 'api_key', $5, $5, $6, $7, $8, $2)`,
      [
        ...[randomUUID(), at, account_id, keys[place % keys.length], names[place % names.length]],
        ...[outcome, LAYERS[outcome], 8 + ((place * 37) % 420)],
      ],
    );
  }
}
