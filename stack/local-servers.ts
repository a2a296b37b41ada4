import { randomUUID } from 'node:crypto';
import { startOpenfga } from './openfga.ts';
import { createDatabase, dropDatabase, startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import type { Servers, StartOptions } from './servers.ts';

/** Starts installed programs in parallel; rejects with the first that is not available. */
export async function startLocally(options: StartOptions): Promise<Partial<Servers>> {
  const isDurable = options.purpose === 'local';
  const { absent } = options;
  const given = options.env['DATABASE_URL'] ?? '';
  const isPostgresNeeded = absent.has('postgres') || (absent.has('openfga') && given === '');
  const admin = isPostgresNeeded ? startPostgres({ ...options, isDurable }) : resolved(given);
  const [databaseUrl, redisUrl, openfga] = await Promise.all([
    absent.has('postgres') ? serviceDatabase(admin, isDurable) : undefined,
    absent.has('redis') ? startRedis({ ...options, isDurable }) : undefined,
    absent.has('openfga')
      ? startOpenfga({ ...options, databaseUrl: openfgaDatabase(admin, options) })
      : undefined,
    admin,
  ]);
  return {
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(redisUrl === undefined ? {} : { redisUrl }),
    ...(openfga === undefined
      ? {}
      : {
          openfgaApiUrl: openfga.apiUrl,
          openfgaApiToken: openfga.token,
          openfgaMetricsUrl: openfga.metricsUrl,
        }),
  };
}

async function resolved(url: string): Promise<string> {
  return url;
}

async function serviceDatabase(admin: Promise<string>, isDurable: boolean): Promise<string> {
  return isDurable ? createDatabase(await admin, 'toolgate') : admin;
}

/**
 * Creates OpenFGA's database. On a given server it is named after the given database; a test's is
 * dropped after the test.
 */
async function openfgaDatabase(admin: Promise<string>, options: StartOptions): Promise<string> {
  const url = await admin;
  const given = options.env['DATABASE_URL'];
  if (!given) return createDatabase(url, 'openfga');
  if (options.purpose === 'local') {
    return createDatabase(url, `${new URL(given).pathname.slice(1)}_openfga`);
  }
  const name = `openfga_${randomUUID().slice(0, 8)}`;
  options.atStop(() => dropDatabase(url, name));
  return createDatabase(url, name);
}
