import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { loadOperatorConfig } from './cli/operator-config.ts';
import { deployModel } from './authz/engine/deploy.ts';
import type { Config } from './platform/config/config.ts';
import { createDatabase, noConnection } from './platform/postgres/database.ts';
import type { HotQueries } from './platform/postgres/database.ts';
import { giveWay, StillLocked } from './platform/postgres/give-way.ts';
import { isStepwise, runStepwise } from './platform/postgres/stepwise-migration.ts';
import { createLog } from './platform/observability/log.ts';
import { formatFatalError, OperatorError } from './platform/errors/operator-error.ts';
import { projections } from './projection.ts';

const MIGRATIONS = new URL('../migrations/', import.meta.url);
// Advisory lock: one migration at a time per database. Any number that no other program uses works.
const LOCK = 7_070_070;
// Long enough for the transactions of gateways, and for a vacuum to end; not for a backup.
const PATIENCE_MS = 60_000;
const LOCK_POLL_MS = 100;

/**
 * Thrown if a migration failed or was changed after it ran, or for a database of another version.
 */
export class MigrationError extends OperatorError {}

/** Migrates the database and the authorization model. Safe to repeat and to run concurrently. */
export async function migrate(config: Config, { rebuild = false } = {}): Promise<void> {
  await migrateRows(config.DATABASE_URL, async () => {
    const log = createLog(config.LOG_LEVEL);
    const onIdleError = (error: Error) => log.warn({ err: error }, 'connection lost');
    const database = await createDatabase({ url: config.DATABASE_URL, poolSize: 4, onIdleError });
    try {
      const address = {
        apiUrl: config.OPENFGA_API_URL,
        apiToken: config.OPENFGA_API_TOKEN,
        storeId: config.OPENFGA_STORE_ID,
      };
      await deployModel(database, address, { log, projections, rebuild });
    } finally {
      await database.close();
    }
  });
}

/**
 * Applies `migrations/` in order, then calls `afterwards` under the same lock. Each runs in a
 * transaction that gives way to live gateways; those that take long run statement by statement.
 */
export async function migrateRows(
  url: string,
  afterwards = async () => {},
  { patienceMs = PATIENCE_MS } = {},
): Promise<void> {
  const client = new pg.Client({
    ...{ connectionString: url, connectionTimeoutMillis: 10_000 },
    // Building an index says nothing for minutes, in which a balancer may drop the connection.
    ...{ keepAlive: true, keepAliveInitialDelayMillis: 30_000 },
  });
  const losses: Error[] = [];
  client.on('error', (error) => void losses.push(error));
  await client.connect().catch((error: Error) => {
    throw noConnection(url, error);
  });
  try {
    await lockMigrations(client);
    await client.query(`CREATE TABLE IF NOT EXISTS schema_migration (
      name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
    for (const migration of await findPending(client)) await apply(client, migration, patienceMs);
    await afterwards();
    // A lost connection releases the lock, so another process may have migrated in the meantime.
    const [cause] = losses;
    if (cause !== undefined)
      throw new MigrationError(`The connection was lost: ${cause.message}. Try again.`, { cause });
  } finally {
    await client.end();
  }
}

/**
 * Waits until no other process migrates. Asks again and again: a statement that waits for the lock has
 * a snapshot, for whose end the building of an index waits.
 */
async function lockMigrations(client: pg.Client): Promise<void> {
  const tryLock = async () => {
    const { rows } = await client.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS locked',
      [LOCK],
    );
    return rows[0]!.locked;
  };
  while (!(await tryLock())) await setTimeout(LOCK_POLL_MS);
}

interface Migration {
  name: string;
  text: string;
  checksum: string;
}

/**
 * Returns the migrations that have not run in a database. Throws if one was changed after it ran, or
 * if another version of the service created the database: its tables differ.
 */
export async function findPending(client: HotQueries): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM schema_migration',
  );
  const done = new Map(rows.map((row) => [row.name, row.checksum]));
  const names = (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql')).toSorted();
  requireKnown([...done.keys()], names);
  const migrations = await Promise.all(names.map(readMigration));
  const changed = migrations.find(
    ({ name, checksum }) => done.has(name) && done.get(name) !== checksum,
  );
  if (changed !== undefined)
    throw new MigrationError(
      `migrations/${changed.name} was changed after it ran here. Restore it and put the change in a new file.`,
    );
  return migrations.filter(({ name }) => !done.has(name));
}

function requireKnown(done: readonly string[], names: readonly string[]): void {
  const unknown = done.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new MigrationError(
      `This database was created by another version (migrations/${unknown} ran in it). ` +
        'Use an empty database; to start over locally, delete the folder .data.',
    );
}

async function readMigration(name: string): Promise<Migration> {
  const text = await readFile(new URL(name, MIGRATIONS), 'utf8');
  return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
}

async function apply(
  client: pg.Client,
  { name, text, checksum }: Migration,
  patienceMs: number,
): Promise<void> {
  try {
    const record = async () => {
      await client.query('INSERT INTO schema_migration (name, checksum) VALUES ($1, $2)', [
        name,
        checksum,
      ]);
    };
    if (isStepwise(text)) {
      await runStepwise(client, text, patienceMs);
      await record();
    } else
      await giveWay(client, patienceMs, async () => {
        await client.query(text);
        await record();
      });
  } catch (error) {
    throw new MigrationError(`migrations/${name} failed: ${reasonOf(error as Error)}`, {
      cause: error,
    });
  }
}

const reasonOf = (error: Error): string =>
  error instanceof StillLocked
    ? 'another transaction kept a table locked. `SELECT * FROM pg_stat_activity ORDER BY xact_start` lists the longest first; wait for it, or end it, and try again.'
    : error.message;

if (import.meta.main)
  try {
    await migrate(loadOperatorConfig());
    process.stdout.write('The database and the authorization model are up to date.\n');
  } catch (error) {
    process.stderr.write(`${formatFatalError(error)}\n`);
    process.exitCode = 1;
  }
