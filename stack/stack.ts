import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startContainers } from './containers.ts';
import { isDockerAvailable } from './docker.mjs';
import { startCompose } from './compose.ts';
import { readHolder, takeLock } from './folder-lock.ts';
import { createGuard, stopOrphans } from './guard.ts';
import { startLocally } from './local-servers.ts';
import type { Servers, StackOptions, StartOptions } from './servers.ts';
import { startSmtpSink } from './smtp.ts';
import type { SmtpSink } from './smtp.ts';
import { readSource, writeSource } from './source.ts';
import { Unavailable } from './unavailable.ts';

/** Running servers; the URL of a server that is not needed is ''. */
export type Stack = Servers & {
  smtp?: SmtpSink;
  /** Ends this detached child together with the servers, however this process ends. */
  adopt(child: ChildProcess): void;
  stop(): Promise<void>;
};

const SERVERS = ['postgres', 'redis', 'openfga'] as const;
const URL_OF = {
  postgres: 'databaseUrl',
  redis: 'redisUrl',
  openfga: 'openfgaApiUrl',
} as const;

/**
 * Starts the needed servers: uses a given URL, else Docker, else a local program. If none is
 * available, throws `Unavailable` with a one-line message. A data folder stays with the source that
 * created it. Nothing that is started outlives this process, however it ends.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dataDir = resolve(options.dataDir);
  mkdirSync(dataDir, { recursive: true });
  const lock = takeLock(lockFile(dataDir));
  if (lock === null) {
    refuseSecondStart(dataDir);
    throw new Unavailable(`Another process has just locked ${dataDir}: try again.`);
  }
  const journal = join(dataDir, 'processes.json');
  await stopOrphans(journal);
  const guard = createGuard(journal);
  if (options.purpose === 'test') guard.onEnd({ remove: dataDir });
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0)) await one();
    await guard.close();
    lock.release();
  };
  try {
    const smtp = await startSmtp(options, dataDir);
    if (smtp !== null) stops.push(smtp.stop);
    const onStop = (work: () => Promise<void>) => void stops.push(work);
    const servers = await startServers({ ...options, dataDir, guard, onStop });
    return { ...servers, ...(smtp === null ? {} : { smtp }), adopt: guard.adopt, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Throws if another process already uses this folder, before its port is found in use. */
export function refuseSecondStart(dataDir: string): void {
  const holder = readHolder(lockFile(resolve(dataDir)));
  if (holder === null) return;
  throw new Unavailable(
    `Another process (${holder}) is already using ${resolve(dataDir)}: ` +
      'stop it, or set DATA_DIR.',
  );
}

function lockFile(dataDir: string): string {
  return join(dataDir, 'lock');
}

async function startSmtp(options: StackOptions, dataDir: string): Promise<SmtpSink | null> {
  const needs = options.needs ?? (options.purpose === 'local' ? ['smtp'] : []);
  if (!needs.includes('smtp') || options.env['SMTP_URL']) return null;
  return startSmtpSink(join(dataDir, 'mail'));
}

async function startServers(options: Omit<StartOptions, 'absent'>): Promise<Servers> {
  const needs = new Set(options.needs ?? SERVERS);
  const needed = SERVERS.filter((name) => needs.has(name));
  const given = {
    databaseUrl: (needs.has('postgres') && options.env['DATABASE_URL']) || '',
    redisUrl: (needs.has('redis') && options.env['REDIS_URL']) || '',
    openfgaApiUrl: (needs.has('openfga') && options.env['OPENFGA_API_URL']) || '',
  };
  const absent = new Set(needed.filter((name) => given[URL_OF[name]] === ''));
  const started = absent.size === 0 ? {} : await start({ ...options, absent });
  const token = given.openfgaApiUrl === '' ? undefined : options.env['OPENFGA_API_TOKEN'];
  return { ...given, ...(token ? { openfgaApiToken: token } : {}), ...started };
}

async function start(options: StartOptions): Promise<Partial<Servers>> {
  const { dataDir } = options;
  const stored = readSource(dataDir);
  const isDocker = stored !== 'local' && (await isDockerAvailable(options.env));
  if (stored === 'docker' && !isDocker) throw dataInDocker(dataDir, 'does not respond');
  if (isDocker) {
    try {
      const source = options.purpose === 'local' ? startCompose : startContainers;
      const servers = await source(options);
      writeSource(dataDir, 'docker');
      return servers;
    } catch (error) {
      const message = error instanceof Error ? error.message.split('\n')[0] : String(error);
      const problem = `responds but did not start the servers (${message})`;
      if (stored === 'docker') throw dataInDocker(dataDir, problem);
      options.progress(`Docker ${problem}; using local programs instead …`);
    }
  }
  const servers = await startLocally(options);
  writeSource(dataDir, 'local');
  return servers;
}

function dataInDocker(dataDir: string, problem: string): Unavailable {
  return new Unavailable(
    `The data of ${dataDir} is in Docker, which ${problem}: fix Docker, or set DATA_DIR.`,
  );
}
