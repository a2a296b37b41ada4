import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { createStore, deployModel } from '../../../src/authz/engine/deploy.ts';
import { migrateRows } from '../../../src/migrate.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { projections } from '../../../src/projection.ts';
import { dropDatabase } from '../../../stack/postgres.ts';

/** Running servers of a test run or of a bench. */
export interface Servers {
  postgresUrl: string;
  redisUrl: string;
  openfgaApiUrl: string;
  openfgaApiToken: string;
}

/** A database, an OpenFGA store with the model, and a Redis prefix for a single deployment. */
export interface Deployment {
  databaseUrl: string;
  openfga: { apiUrl: string; apiToken: string | undefined; storeId: string };
  /** Drops the database, which may be in memory: a run has hundreds. */
  remove(): Promise<void>;
  /** Settings of a gateway, except those for mail and secrets. */
  env: Record<string, string>;
}

const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

export async function createDeploymentOn(servers: Servers): Promise<Deployment> {
  const databaseUrl = await cloneDatabase(servers.postgresUrl);
  const address = {
    apiUrl: servers.openfgaApiUrl,
    apiToken: servers.openfgaApiToken || undefined,
  };
  const openfga = { ...address, storeId: await createStore(address) };
  const database = await createDatabase({ url: databaseUrl, poolSize: 2, onIdleError: () => {} });
  await deployModel(database, openfga, { log: createLog('silent'), projections });
  await database.close();
  return {
    databaseUrl,
    openfga,
    remove: () => dropDatabase(servers.postgresUrl, new URL(databaseUrl).pathname.slice(1)),
    env: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: servers.redisUrl,
      REDIS_PREFIX: `t${randomUUID().slice(0, 8)}:`,
      OPENFGA_API_URL: openfga.apiUrl,
      ...(openfga.apiToken ? { OPENFGA_API_TOKEN: openfga.apiToken } : {}),
      OPENFGA_STORE_ID: openfga.storeId,
    },
  };
}

/** Clones a migrated template: migrating only once saves a second per file. */
async function cloneDatabase(postgresUrl: string): Promise<string> {
  const url = new URL(postgresUrl);
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  try {
    const template = `template_${migrationsHash()}`;
    await admin.query('SELECT pg_advisory_lock(1)');
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [
      template,
    ]);
    if (rowCount === 0) {
      await admin.query(`DROP DATABASE IF EXISTS ${template}_making`);
      await admin.query(`CREATE DATABASE ${template}_making`);
      await migrateRows(databaseOf(url, `${template}_making`));
      await admin.query(`ALTER DATABASE ${template}_making RENAME TO ${template}`);
    }
    const name = `world_${randomUUID().replaceAll('-', '')}`;
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    return databaseOf(url, name);
  } finally {
    await admin.end();
  }
}

function databaseOf(url: URL, name: string): string {
  const copy = new URL(url);
  copy.pathname = `/${name}`;
  return copy.href;
}

function migrationsHash(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(MIGRATIONS).toSorted())
    hash.update(name).update(readFileSync(new URL(name, MIGRATIONS)));
  return hash.digest('hex').slice(0, 16);
}
