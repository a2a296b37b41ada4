import { randomBytes } from 'node:crypto';
import type { StartedTestContainer } from 'testcontainers';
import { IMAGES } from './docker.mjs';
import { openfgaSettings } from './openfga.ts';
import { createDatabase } from './postgres.ts';
import type { Servers, StartOptions } from './servers.ts';

/** Starts the servers of a test run in containers; Ryuk removes them in any case. */
export async function startContainers(options: StartOptions): Promise<Partial<Servers>> {
  // A development dependency, so it is loaded only here, in tests.
  const { GenericContainer, Network, Wait } = await import('testcontainers');
  const { absent } = options;
  const password = randomBytes(16).toString('hex');
  const started: { stop(): Promise<unknown> }[] = [];
  options.onStop(async () => {
    for (const one of started.toReversed()) await one.stop();
  });
  const track = <T extends { stop(): Promise<unknown> }>(one: T): T => {
    started.push(one);
    return one;
  };
  const network = track(await new Network().start());
  const addressOf = (container: StartedTestContainer, port: number) =>
    `${container.getHost()}:${container.getMappedPort(port)}`;

  const startPostgres = async () => {
    const container = new GenericContainer(IMAGES.postgres)
      .withEnvironment({ POSTGRES_USER: 'toolgate', POSTGRES_PASSWORD: password })
      .withCommand(['postgres', '-c', 'max_connections=400', ...FAST_SETTINGS])
      .withNetwork(network)
      .withNetworkAliases('postgres')
      .withTmpFs({ '/var/lib/postgresql': 'rw' })
      .withExposedPorts(5432)
      .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2));
    const running = track(await container.start());
    return `postgres://toolgate:${password}@${addressOf(running, 5432)}/postgres`;
  };

  const startRedis = async () => {
    const container = new GenericContainer(IMAGES.redis)
      .withCommand(['redis-server', '--save', '', '--requirepass', password])
      .withExposedPorts(6379)
      .withWaitStrategy(Wait.forLogMessage('Ready to accept connections'));
    return `redis://:${password}@${addressOf(track(await container.start()), 6379)}`;
  };

  const startOpenfga = async (admin: string) => {
    await createDatabase(admin, 'openfga');
    const database = `postgres://toolgate:${password}@postgres:5432/openfga?sslmode=disable`;
    const settings = openfgaSettings(database, password, 'test');
    const prepare = (command: string[]) =>
      new GenericContainer(IMAGES.openfga)
        .withEnvironment(settings)
        .withNetwork(network)
        .withCommand(command);
    const migration = prepare(['migrate']).withWaitStrategy(Wait.forOneShotStartup());
    track(await migration.start());
    const server = prepare(['run', '--log-level', 'warn', '--metrics-addr', '0.0.0.0:2112'])
      .withExposedPorts(8080, 2112)
      .withWaitStrategy(Wait.forHttp('/healthz', 8080).forStatusCode(200));
    const running = track(await server.start());
    return {
      openfgaApiUrl: `http://${addressOf(running, 8080)}`,
      openfgaApiToken: password,
      openfgaMetricsUrl: `http://${addressOf(running, 2112)}/metrics`,
    };
  };

  const isPostgresNeeded = absent.has('postgres') || absent.has('openfga');
  const [databaseUrl, redisUrl] = await Promise.all([
    isPostgresNeeded ? startPostgres() : '',
    absent.has('redis') ? startRedis() : '',
  ]);
  return {
    ...(absent.has('postgres') && { databaseUrl }),
    ...(absent.has('redis') && { redisUrl }),
    ...(absent.has('openfga') && (await startOpenfga(databaseUrl))),
  };
}

// Each test file has a database, and autovacuum would start a process for one every few hundred ms.
const FAST_SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes', 'autovacuum'].flatMap(
  (name) => ['-c', `${name}=off`],
);
