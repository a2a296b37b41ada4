import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { migrateRows } from '../../../src/migrate.ts';
import {
  isStepwise,
  runStepwise,
  statementsOf,
} from '../../../src/platform/postgres/stepwise-migration.ts';
import { useEmptyDatabase } from '../../support/servers/empty-database.ts';

const MIGRATIONS = new URL('../../../migrations/', import.meta.url);
/** It watches `account` again, which takes a lock that writers of the table conflict with. */
const REPEATED = '0042_projected_tables.sql';
/** As in gateways; see `STATEMENT_MS`. */
const LIVE = "SET statement_timeout = '2s'";
const INSERT = 'INSERT INTO account (id) VALUES (gen_random_uuid())';

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // The forced drop of the database may cut it.
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Migrates a database up to the repeated migration, and begins a transaction that is in its way. */
async function useLockedDatabase() {
  const { url, query } = await useEmptyDatabase();
  await migrateRows(url);
  await query(`DELETE FROM schema_migration WHERE name = '${REPEATED}'`);
  const holder = await connect(url);
  await holder.query('BEGIN');
  await holder.query(INSERT);
  /** Resolves once something waits, or no longer waits, for a lock of the table. */
  async function untilWaiting(isWaiting: boolean): Promise<void> {
    const waits = async () =>
      (await query("SELECT FROM pg_locks WHERE NOT granted AND relation = 'account'::regclass"))
        .length > 0;
    while ((await waits()) !== isWaiting) await setTimeout(10);
  }
  const isApplied = async () =>
    (await query(`SELECT FROM schema_migration WHERE name = '${REPEATED}'`)).length === 1;
  return { url, holder, untilWaiting, isApplied };
}

test('a migration that meets a lock gives way before statements behind it time out, and tries again', async () => {
  const { url, holder, untilWaiting, isApplied } = await useLockedDatabase();
  const live = await connect(url);
  await live.query(LIVE);

  const migrating = migrateRows(url);
  for (let tries = 0; tries < 5; tries += 1) {
    await untilWaiting(true);
    await live.query(INSERT);
    await untilWaiting(false);
  }
  expect(await isApplied()).toBe(false);
  await holder.query('COMMIT');
  await migrating;

  expect(await isApplied()).toBe(true);
});

test('a migration that meets a lock for too long fails, and says how to find who holds it', async () => {
  const { url, holder, isApplied } = await useLockedDatabase();

  const migrating = migrateRows(url, async () => {}, { patienceMs: 1_000 });

  await expect(migrating).rejects.toThrow(
    `migrations/${REPEATED} failed: another transaction kept a table locked. \`SELECT * FROM pg_stat_activity ORDER BY xact_start\` lists the longest first`,
  );
  await holder.query('ROLLBACK');
  await migrateRows(url);
  expect(await isApplied()).toBe(true);
});

/** The migrations until then are applied to small tables, or with their locks. */
const EARLIER = 35;
const BLOCKING = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'];

/** Returns how often this transaction has read each whole table that existed before it. */
async function scansOf(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ relname: string; seq_scan: string }>(
    'SELECT relname, seq_scan FROM pg_stat_xact_user_tables',
  );
  return new Map(rows.map(({ relname, seq_scan }) => [relname, Number(seq_scan)]));
}

test('no migration keeps others from a table while it reads the whole table', async () => {
  const { url } = await useEmptyDatabase();
  const client = await connect(url);
  const found: unknown[] = [];
  for (const name of readdirSync(MIGRATIONS).toSorted()) {
    const text = readFileSync(new URL(name, MIGRATIONS), 'utf8');
    if (isStepwise(text)) {
      await runStepwise(client, text, 1_000);
      continue;
    }
    for (const part of text.split('COMMIT; BEGIN;')) {
      await client.query('BEGIN');
      const before = await scansOf(client);
      await client.query(part);
      const after = await scansOf(client);
      const { rows: locked } = await client.query<{ table: string; mode: string }>(
        `SELECT relname AS table, mode FROM pg_locks JOIN pg_class c ON c.oid = relation
         WHERE pid = pg_backend_pid() AND mode = ANY($1)`,
        [BLOCKING],
      );
      await client.query('COMMIT');
      const scanned = locked.filter(
        ({ table }) => before.has(table) && after.get(table)! > before.get(table)!,
      );
      if (Number(name.slice(0, 4)) > EARLIER) found.push(...scanned.map((lock) => [name, lock]));
    }
  }

  expect(found).toEqual([]);
});

test('each statement of a migration that takes long can be repeated, and none keeps others from a table for long', () => {
  const texts = readdirSync(MIGRATIONS)
    .map((name) => readFileSync(new URL(name, MIGRATIONS), 'utf8'))
    .filter(isStepwise);

  expect(texts.length).toBeGreaterThan(0);
  for (const statement of texts.flatMap(statementsOf))
    expect(statement).toMatch(
      /^(?:CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS|DROP INDEX CONCURRENTLY IF EXISTS|CREATE INDEX IF NOT EXISTS \w+\s+ON ONLY|ALTER INDEX \w+ ATTACH PARTITION|CREATE TABLE IF NOT EXISTS|CREATE OR REPLACE (?:FUNCTION|TRIGGER|PROCEDURE)|CALL|DROP PROCEDURE IF EXISTS) /,
    );
});

test('an index whose build was interrupted is built again, while others write', async () => {
  const { url, query } = await useEmptyDatabase();
  await migrateRows(url);
  await query("DELETE FROM schema_migration WHERE name = '0051_sorted_lists.sql'");
  await query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'item_by_name'::regclass");
  const writer = await connect(url);
  await writer.query(LIVE);

  const migrating = migrateRows(url);
  await writer.query(INSERT);
  await migrating;

  expect(
    await query("SELECT indisvalid FROM pg_index WHERE indexrelid = 'item_by_name'::regclass"),
  ).toEqual([{ indisvalid: true }]);
});

test('each partition of the ledger gets its index while others write, also after an interruption', async () => {
  const { url, query } = await useEmptyDatabase();
  await migrateRows(url);
  const indexes = () =>
    query(
      `SELECT c.relname AS partition, indisvalid FROM pg_index
       JOIN pg_class c ON c.oid = indrelid JOIN pg_class i ON i.oid = indexrelid
       WHERE i.relname LIKE '%of_key' OR i.relname LIKE 'usage_ledger_%_key_id_%' ORDER BY 1`,
    );
  const whole = await indexes();
  await query("DELETE FROM schema_migration WHERE name = '0046_calls_of_keys.sql'");
  await query('DROP INDEX usage_ledger_of_key');
  // The build was interrupted after the first partition, and another one was created since.
  await query(
    'CREATE INDEX usage_ledger_of_key ON ONLY usage_ledger (key_id, created_at DESC, call_id DESC) WHERE key_id IS NOT NULL',
  );
  await query(
    'CREATE INDEX usage_ledger_other_of_key ON usage_ledger_other (key_id, created_at DESC, call_id DESC) WHERE key_id IS NOT NULL',
  );
  await query(
    "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'usage_ledger_other_of_key'::regclass",
  );
  await query('SELECT usage_ledger_prepare(4)');

  await migrateRows(url);

  const again = await indexes();
  expect(again).toHaveLength(whole.length + 2);
  for (const { partition, indisvalid } of again)
    expect([partition, indisvalid]).toEqual([partition, true]);
});

test('the terms of earlier members are added in batches, which wait for no change of a person', async () => {
  const { url, query } = await useEmptyDatabase();
  await migrateRows(url);
  const MEMBERS = 1_200;
  await query(`INSERT INTO account (id, email) SELECT gen_random_uuid(), 'm' || n || '@example.com'
    FROM generate_series(1, ${MEMBERS}) AS n`);
  await query(`INSERT INTO organization (id, name) VALUES (gen_random_uuid(), 'Acme')`);
  await query(`INSERT INTO membership (id, organization_id, account_id)
    SELECT gen_random_uuid(), (SELECT id FROM organization), id FROM account`);
  await query('DELETE FROM member_term');
  await query("DELETE FROM schema_migration WHERE name LIKE '0052_%'");

  // A long transaction keeps one of the accounts; changes of others in its batch go on.
  const holder = await connect(url);
  await holder.query('BEGIN');
  await holder.query("UPDATE account SET first_name = 'Ada' WHERE email = 'm1@example.com'");
  const live = await connect(url);
  await live.query(LIVE);
  const migrating = migrateRows(url);
  for (let change = 0; change < 5; change += 1)
    await live.query(`UPDATE account SET last_name = 'L${change}' WHERE email LIKE 'm1__@%'`);
  await holder.query('COMMIT');
  await migrating;

  expect(
    await query('SELECT count(DISTINCT membership_id)::int AS terms FROM member_term'),
  ).toEqual([{ terms: MEMBERS }]);
});
