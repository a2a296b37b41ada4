import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOpenfgaServing } from './openfga.ts';
import { waitUntilReady } from './ports.ts';
import { isPostgresReady } from './postgres.ts';
import { isRedisReady } from './redis.ts';
import { readOrCreateSecret } from './secret-file.ts';
import type { Servers, StartOptions } from './servers.ts';

const FILE = fileURLToPath(new URL('../docker-compose.yml', import.meta.url));
const DEADLINE_MS = 60_000;

/**
 * Starts the servers of docker-compose.yml in a project specific to this data folder, on free
 * loopback ports. Its volumes stay; its containers stop with this process.
 */
export async function startCompose(options: StartOptions): Promise<Partial<Servers>> {
  const { guard, absent, dataDir } = options;
  const token = readOrCreateSecret(join(dataDir, 'openfga-token'));
  const env = {
    ...options.env,
    // Otherwise the first line of an error would be about progress.
    COMPOSE_PROGRESS: 'quiet',
    POSTGRES_PASSWORD: readOrCreatePassword(dataDir, 'postgres'),
    REDIS_PASSWORD: readOrCreatePassword(dataDir, 'redis'),
    OPENFGA_API_TOKEN: token,
    POSTGRES_PORT: '0',
    REDIS_PORT: '0',
    OPENFGA_PORT: '0',
    OPENFGA_METRICS_PORT: '0',
  };
  const project = ['compose', '-p', composeProject(dataDir), '-f', FILE];
  const compose = (...args: string[]) => guard.runTool('docker', [...project, ...args], { env });

  options.progress('Starting the servers with Docker …');
  guard.onEnd({ run: ['docker', ...project, 'stop', '--timeout', '10'] });
  await compose('up', '--detach', ...absent);
  const address = async (service: string, port: number) =>
    (await compose('port', service, String(port))).trim();
  const [postgres, redis, openfga, metrics] = [
    absent.has('postgres') ? await address('postgres', 5432) : '',
    absent.has('redis') ? await address('redis', 6379) : '',
    absent.has('openfga') ? await address('openfga', 8080) : '',
    absent.has('openfga') ? await address('openfga', 2112) : '',
  ];
  const servers = {
    ...(postgres && {
      databaseUrl: `postgres://toolgate:${env.POSTGRES_PASSWORD}@${postgres}/toolgate`,
    }),
    ...(redis && { redisUrl: `redis://:${env.REDIS_PASSWORD}@${redis}` }),
    ...(openfga && {
      openfgaApiUrl: `http://${openfga}`,
      openfgaApiToken: token,
      openfgaMetricsUrl: `http://${metrics}/metrics`,
    }),
  };
  await waitForAll(servers);
  return servers;
}

/**
 * Returns the project name of a data folder. Volumes keep their first password, so a recreated
 * folder gets a new project.
 */
export function composeProject(dataDir: string): string {
  const password = readOrCreatePassword(dataDir, 'postgres');
  const key = createHash('sha256').update(`${dataDir} ${password}`).digest('hex');
  return `toolgate-${key.slice(0, 8)}`;
}

function readOrCreatePassword(dataDir: string, server: string): string {
  return readOrCreateSecret(join(dataDir, `${server}-password`));
}

async function waitForAll(servers: Partial<Servers>): Promise<void> {
  const { databaseUrl, redisUrl, openfgaApiUrl } = servers;
  const ready = await Promise.all([
    !databaseUrl || waitUntilReady(() => isPostgresReady(databaseUrl), never, DEADLINE_MS),
    !redisUrl || waitUntilReady(() => isRedisReady(redisUrl), never, DEADLINE_MS),
    !openfgaApiUrl || waitUntilReady(() => isOpenfgaServing(openfgaApiUrl), never, DEADLINE_MS),
  ]);
  if (!ready.every(Boolean)) throw new Error('its containers did not become ready');
}

function never(): boolean {
  return false;
}
