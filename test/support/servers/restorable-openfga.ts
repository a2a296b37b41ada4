import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { createGuard } from '../../../stack/guard.ts';
import { startOpenfga } from '../../../stack/openfga.ts';
import { createDatabase } from '../../../stack/postgres.ts';
import { createDeploymentOn } from './deployment-on.ts';
import type { Deployment } from './deployment-on.ts';

// As in `openfgaSettings` for tests.
const MAX_CONNECTIONS = 20;

/** A deployment with an OpenFGA server of its own, whose database can be set back. */
export interface RestorableDeployment extends Deployment {
  /** Copies OpenFGA's database; the server loses its connections for a moment. */
  backUp(): Promise<void>;
  /** Replaces OpenFGA's database by the copy, while the server runs. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export async function createRestorableDeployment(): Promise<RestorableDeployment> {
  const postgresUrl = inject('postgresUrl');
  const name = `openfga_${randomUUID().slice(0, 8)}`;
  const copy = `${name}_copy`;
  const dataDir = mkdtempSync(join(tmpdir(), 'toolgate-openfga-'));
  const guard = createGuard(join(dataDir, 'processes.json'));
  guard.onEnd({ remove: dataDir });
  const { apiUrl, token } = await startOpenfga({
    ...{ guard, dataDir, env: process.env, purpose: 'test', progress: () => {} },
    databaseUrl: createDatabase(postgresUrl, name),
  });
  const admin = new pg.Client({ connectionString: postgresUrl });
  await admin.connect();

  /** Runs `work` while the server has no connection to its database. */
  async function whileDisconnected(work: () => Promise<void>): Promise<void> {
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
      name,
    ]);
    await work();
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await reconnect();
  }

  /** Makes requests until the server's pool has no lost connection left, as other clients would. */
  async function reconnect(): Promise<void> {
    const isServing = async () =>
      (await fetch(`${apiUrl}/stores`, { headers: { authorization: `Bearer ${token}` } })).ok;
    for (let rounds = 0; rounds < 3;) {
      const served = await Promise.all(Array.from({ length: MAX_CONNECTIONS }, isServing));
      rounds = served.every(Boolean) ? rounds + 1 : 0;
    }
  }

  const deployment = await createDeploymentOn({
    ...{ postgresUrl, redisUrl: inject('redisUrl') },
    ...{ openfgaApiUrl: apiUrl, openfgaApiToken: token },
  });
  return {
    ...deployment,
    backUp: () =>
      whileDisconnected(async () => {
        await admin.query(`DROP DATABASE IF EXISTS ${copy}`);
        await admin.query(`CREATE DATABASE ${copy} TEMPLATE ${name}`);
      }),
    restore: () =>
      whileDisconnected(async () => {
        await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
        await admin.query(`CREATE DATABASE ${name} TEMPLATE ${copy} ALLOW_CONNECTIONS false`);
      }),
    async close() {
      await guard.close();
      for (const database of [name, copy])
        await admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
      await admin.end();
    },
  };
}
