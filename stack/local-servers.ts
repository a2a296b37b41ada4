import { randomUUID } from 'node:crypto';
import { startOpenfga } from './openfga.ts';
import { createDatabase, dropDatabase, startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import type { Servers, StartOptions } from './servers.ts';

/** Starts installed programs in parallel; rejects with the error of the first that is missing. */
export async function startLocally(options: StartOptions): Promise<Partial<Servers>> {
  const isDurable = options.purpose === 'local';
  const { absent } = options;
  const givenUrl = options.env['DATABASE_URL'] ?? '';
  const isPostgresNeeded = absent.has('postgres') || (absent.has('openfga') && givenUrl === '');
  const admin = isPostgresNeeded ? startPostgres({ ...options, isDurable }) : resolved(givenUrl);
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
 * Creates OpenFGA's database. If `DATABASE_URL` is set, it is on that server: for a local run its
 * name is derived from that database's name; for a test it is random, and it is dropped at the end.
 */
async function openfgaDatabase(admin: Promise<string>, options: StartOptions): Promise<string> {
  const url = await admin;
  const given = options.env['DATABASE_URL'];
  if (!given) return createDatabase(url, 'openfga');
  if (options.purpose === 'local') {
    return createDatabase(url, `${new URL(given).pathname.slice(1)}_openfga`);
  }
  const name = `openfga_${randomUUID().slice(0, 8)}`;
  options.onStop(() => dropDatabase(url, name));
  return createDatabase(url, name);
}
