import { readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { migrateRows, MigrationError } from '../../../src/migrate.ts';
import { NoConnection } from '../../../src/platform/postgres/database.ts';
import { useEmptyDatabase } from '../../support/servers/empty-database.ts';

const MIGRATIONS = readdirSync(new URL('../../../migrations/', import.meta.url));
const APPLIED = 'SELECT name, checksum, applied_at FROM schema_migration ORDER BY name';

test('each migration runs once, even if several gateways of one release start at once', async () => {
  const { url, query } = await useEmptyDatabase();

  await Promise.all([migrateRows(url), migrateRows(url), migrateRows(url)]);
  const first = await query(APPLIED);
  await migrateRows(url);

  expect(first.length).toBe(MIGRATIONS.length);
  expect(await query(APPLIED)).toEqual(first);
});

test('a migration that was changed after it ran stops the next run, and the error names it', async () => {
  const { url, query } = await useEmptyDatabase();
  await migrateRows(url);
  await query("UPDATE schema_migration SET checksum = 'of another text' WHERE name LIKE '0004%'");

  const again = migrateRows(url);

  await expect(again).rejects.toThrow(MigrationError);
  await expect(again).rejects.toThrow(/migrations\/0004_keys\.sql was changed after it ran here/);
});

test('a database of another version is refused with instructions, and not changed', async () => {
  const { url, query } = await useEmptyDatabase();
  await migrateRows(url);
  await query("UPDATE schema_migration SET name = '0001_accounts.sql' WHERE name LIKE '0001%'");
  const before = await query(APPLIED);

  const again = migrateRows(url);

  await expect(again).rejects.toThrow(MigrationError);
  await expect(again).rejects.toThrow(
    'This database was created by another version (migrations/0001_accounts.sql ran in it). Use an empty database; to start over locally, delete the folder .data.',
  );
  expect(await query(APPLIED)).toEqual(before);
});

test('migrations are numbered without gaps', () => {
  const numbers = MIGRATIONS.toSorted().map((name) => /^(\d{4})_[a-z_]+\.sql$/.exec(name)?.[1]);

  expect(numbers).toEqual(MIGRATIONS.map((_, index) => String(index + 1).padStart(4, '0')));
});

test('a missing database is reported with its host and name', async () => {
  const url = new URL((await useEmptyDatabase()).url);
  url.pathname = '/nowhere';

  const migrating = migrateRows(url.href);

  await expect(migrating).rejects.toThrow(NoConnection);
  await expect(migrating).rejects.toThrow(
    `Cannot connect to PostgreSQL at ${url.hostname}:${url.port}: database "nowhere" does not exist. Is it running, and is DATABASE_URL correct?`,
  );
});

test('a failing migration is rolled back, and the error names it', async () => {
  const { url, query } = await useEmptyDatabase();
  await query('CREATE TABLE authz_outbox (is_in_the_way boolean)');

  await expect(migrateRows(url)).rejects.toThrow(/migrations\/0002_authorization\.sql failed/);

  expect(await query('SELECT name FROM schema_migration')).toEqual([{ name: '0001_audit.sql' }]);
  expect(await query("SELECT to_regclass('authz_scope') AS left_behind")).toEqual([
    { left_behind: null },
  ]);
});

test('a connection lost during a migration fails only the migration', async () => {
  const { url, query } = await useEmptyDatabase();

  const migrating = migrateRows(url, async () => {
    await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`);
    await setTimeout(200);
  });

  await expect(migrating).rejects.toThrow(MigrationError);
});
