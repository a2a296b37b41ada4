import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { cacheFolder, findProgram } from './find-program.mjs';
import type { Guard } from './guard.ts';
import { startOnFreePorts, waitUntilReady } from './ports.ts';
import { missing } from './programs.ts';
import { unpackRedis } from './redis-package.ts';
import type { RedisProgram } from './redis-package.ts';
import { readOrCreateSecret } from './secret-file.ts';

export type RedisOptions = {
  guard: Guard;
  dataDir: string;
  env: Record<string, string | undefined>;
  isDurable: boolean;
  progress: (line: string) => void;
};

const NAMES = ['redis-server', 'valkey-server'];
const REMEDY = 'install Redis 7 or Valkey so that "redis-server" or "valkey-server" is in PATH';

/** Starts Redis on loopback with a password, and returns its URL. */
export async function startRedis(options: RedisOptions): Promise<string> {
  const program = await findRedis(options);
  const password = readOrCreateSecret(join(options.dataDir, 'redis-password'));
  const folder = join(options.dataDir, 'redis');
  mkdirSync(folder, { recursive: true });
  const logFile = join(options.dataDir, 'logs', 'redis.log');
  return startOnFreePorts('Redis', 1, logFile, async ([port = 0]) => {
    const file = join(options.dataDir, 'redis.conf');
    const text = configure(port, folder, password, options.isDurable);
    writeFileSync(file, text, { mode: 0o600 });
    const server = options.guard.startServer({
      command: program.command,
      args: [file],
      logFile,
      signal: 'SIGTERM',
      env: { ...options.env, ...libraryPath(program) },
    });
    const url = `redis://:${password}@127.0.0.1:${port}`;
    if (await waitUntilReady(() => isRedisReady(url), server.hasEnded)) return url;
    await server.stop();
    return null;
  });
}

/** Returns the configuration file: arguments would show the password in process lists. */
function configure(port: number, folder: string, password: string, isDurable: boolean): string {
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    'protected-mode yes',
    `requirepass ${password}`,
    `dir "${folder}"`,
    'save ""',
    `appendonly ${isDurable ? 'yes' : 'no'}`,
    'maxmemory-policy noeviction',
    'daemonize no',
    '',
  ].join('\n');
}

async function findRedis(options: RedisOptions): Promise<RedisProgram> {
  const command = findProgram(NAMES, options.env);
  if (command !== null) return { command };
  const folder = join(cacheFolder(options.env), `redis-${process.platform}-${process.arch}`);
  const { program, cause } = await unpackRedis({ ...options, folder });
  if (program === null) throw missing('Redis', 'REDIS_URL', REMEDY, cause);
  return program;
}

function libraryPath(program: RedisProgram): Record<string, string> {
  return program.libraries === undefined ? {} : { LD_LIBRARY_PATH: program.libraries };
}

/** Returns whether Redis responds to PING; uses a plain socket, so that no client is needed. */
export function isRedisReady(url: string): Promise<boolean> {
  const { hostname, port, password } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let received = '';
    const finish = (isReady: boolean) => {
      socket.destroy();
      resolve(isReady);
    };
    socket.setTimeout(2000, () => finish(false));
    socket.on('error', () => finish(false));
    socket.on('close', () => finish(false));
    socket.on('data', (chunk) => {
      received += String(chunk);
      if (received.includes('+PONG')) finish(true);
      else if (received.includes('-')) finish(false);
    });
    socket.write(`AUTH ${password}\r\nPING\r\n`);
  });
}
