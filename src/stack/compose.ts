import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepSecret } from './secret-file.ts';
import type { Servers, StartOptions } from './stack.ts';

const FILE = fileURLToPath(new URL('../../docker-compose.yml', import.meta.url));
const DEADLINE_SECONDS = 300;

/**
 * Starts the servers of docker-compose.yml in a project of this data folder, on free ports of
 * loopback. Its volumes stay; its containers stop with this process.
 */
export async function startCompose(options: StartOptions): Promise<Partial<Servers>> {
  const { guard, absent, dataDir } = options;
  const secret = (name: string) => keepSecret(join(dataDir, `${name}-password`));
  const token = keepSecret(join(dataDir, 'openfga-token'));
  const env = {
    ...options.env,
    POSTGRES_PASSWORD: secret('postgres'),
    REDIS_PASSWORD: secret('redis'),
    OPENFGA_API_TOKEN: token,
    POSTGRES_PORT: '0',
    REDIS_PORT: '0',
    OPENFGA_PORT: '0',
    OPENFGA_METRICS_PORT: '0',
  };
  const folder = createHash('sha256').update(dataDir).digest('hex').slice(0, 8);
  const project = ['compose', '-p', `toolgate-${folder}`, '-f', FILE];
  const compose = (...args: string[]) => guard.runTool('docker', [...project, ...args], { env });

  options.progress('Starting the servers with Docker …');
  guard.atEnd({ run: ['docker', ...project, 'stop', '--timeout', '10'] });
  const patience = ['--wait', '--wait-timeout', String(DEADLINE_SECONDS)];
  await compose('up', '--detach', ...patience, ...absent);

  const address = async (service: string, port: number) =>
    (await compose('port', service, String(port))).trim();
  return {
    ...(absent.has('postgres') && {
      databaseUrl: `postgres://toolgate:${env.POSTGRES_PASSWORD}@${await address('postgres', 5432)}/toolgate`,
    }),
    ...(absent.has('redis') && {
      redisUrl: `redis://:${env.REDIS_PASSWORD}@${await address('redis', 6379)}`,
    }),
    ...(absent.has('openfga') && {
      openfgaApiUrl: `http://${await address('openfga', 8080)}`,
      openfgaApiToken: token,
      openfgaMetricsUrl: `http://${await address('openfga', 2112)}/metrics`,
    }),
  };
}
