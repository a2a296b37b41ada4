import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { createGuard } from '../../../stack/guard.ts';
import type { Guard } from '../../../stack/guard.ts';
import { startOnFreePorts, waitUntilReady } from '../../../stack/ports.ts';
import { cacheFolder, findProgram } from '../../../stack/find-program.mjs';
import { missing } from '../../../stack/programs.ts';
import { unpackRedis } from '../../../stack/redis-package.ts';
import type { RedisProgram } from '../../../stack/redis-package.ts';

/** Starts a Redis for one test, which may fill it, empty it or make it read-only. */
export async function useOwnRedis(): Promise<{ url: string; admin: Redis }> {
  const { guard, folder } = useGuard();
  const program = await findRedis(guard);
  const port = await startServer(guard, program, folder, ['--enable-protected-configs', 'local']);
  return { url: `redis://127.0.0.1:${port}`, admin: useClient(port) };
}

const SLOTS = 16_384;

/** Starts a cluster of three masters without replicas. */
export async function useRedisCluster(): Promise<{ url: string; nodes: Redis[] }> {
  const { guard, folder } = useGuard();
  const program = await findRedis(guard);
  const options = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'];
  const ports: number[] = [];
  for (let node = 0; node < 3; node += 1)
    ports.push(await startServer(guard, program, join(folder, String(node)), options));
  const nodes = ports.map(useClient);
  await Promise.all(
    nodes.map(async (node, index) => node.cluster('ADDSLOTSRANGE', ...slotsOf(index))),
  );
  for (const port of ports.slice(1)) await nodes[0]?.call('CLUSTER', 'MEET', '127.0.0.1', port);
  const isWhole = async () =>
    (await Promise.all(nodes.map((node) => node.cluster('INFO')))).every(
      (info) => info.includes('cluster_state:ok') && info.includes('known_nodes:3'),
    );
  if (!(await waitUntilReady(isWhole, () => false)))
    throw new Error('the Redis cluster did not start');
  return { url: `redis+cluster://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`, nodes };
}

const slotsOf = (node: number): [number, number] => [
  Math.floor((SLOTS * node) / 3),
  Math.floor((SLOTS * (node + 1)) / 3) - 1,
];

function useGuard(): { guard: Guard; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-redis-'));
  const guard = createGuard(join(folder, 'processes.json'));
  guard.onEnd({ remove: folder });
  onTestFinished(() => guard.close());
  return { guard, folder };
}

async function findRedis(guard: Guard): Promise<RedisProgram> {
  const command = findProgram(['redis-server', 'valkey-server'], process.env);
  if (command !== null) return { command };
  const folder = join(cacheFolder(process.env), `redis-${process.platform}-${process.arch}`);
  const found = await unpackRedis({ guard, env: process.env, folder, progress: () => {} });
  if (found.program === null) throw missing('Redis', 'PATH', 'install it', found.cause);
  return found.program;
}

async function startServer(
  guard: Guard,
  program: RedisProgram,
  folder: string,
  options: readonly string[],
): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, 'redis.log');
  const libraries = program.libraries === undefined ? {} : { LD_LIBRARY_PATH: program.libraries };
  return startOnFreePorts('Redis', 1, logFile, async ([port = 0]) => {
    const server = guard.startServer({
      command: program.command,
      args: [
        ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
        ...['--save', '', '--appendonly', 'no', ...options],
      ],
      logFile,
      signal: 'SIGTERM',
      env: { ...process.env, ...libraries },
    });
    const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 25 });
    client.on('error', () => {});
    const isReady = await waitUntilReady(
      async () => (await client.ping()) === 'PONG',
      server.hasEnded,
    );
    client.disconnect();
    if (isReady) return port;
    await server.stop();
    return null;
  });
}

function useClient(port: number): Redis {
  const client = new Redis(port, '127.0.0.1');
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}
