import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { waitForLock } from './folder-lock.ts';
import type { Guard } from './guard.ts';
import { findProgram } from './find-program.mjs';

type UnpackOptions = {
  guard: Guard;
  env: Record<string, string | undefined>;
  folder: string;
  progress: (line: string) => void;
};
/** A program and its bundled libraries. */
export type RedisProgram = { command: string; libraries?: string };
type Unpacked = { program: RedisProgram; cause: '' } | { program: null; cause: string };

const BASE = /^(libc6|libc-bin|libgcc-s1|locales|dpkg|perl-base)$/;

/**
 * Unpacks Debian's package into `folder`, which needs no root and starts no system service. If apt
 * fails, `cause` says why; it is empty if apt is missing.
 */
export async function unpackRedis(options: UnpackOptions): Promise<Unpacked> {
  const ready = readProgram(options.folder);
  if (ready !== null) return { program: ready, cause: '' };
  const apt = findProgram(['apt-get'], options.env);
  const dpkg = findProgram(['dpkg'], options.env);
  if (apt === null || dpkg === null) return { program: null, cause: '' };
  const lock = await waitForLock(`${options.folder}.lock`, () => undefined);
  try {
    const done = readProgram(options.folder);
    if (done !== null) return { program: done, cause: '' };
    options.progress('Downloading redis-server with apt-get (once) …');
    await download(options, apt, dpkg);
    const program = readProgram(options.folder);
    return program === null
      ? { program, cause: 'its package contains no server' }
      : { program, cause: '' };
  } catch (error) {
    const problem = error instanceof Error ? error.message.split('\n').at(-1) : String(error);
    return { program: null, cause: `apt-get: ${problem}` };
  } finally {
    lock.release();
  }
}

async function download(options: UnpackOptions, apt: string, dpkg: string): Promise<void> {
  const temporary = `${options.folder}.new`;
  const state = `${options.folder}.apt`;
  rmSync(temporary, { recursive: true, force: true });
  for (const folder of ['lists/partial', 'cache/archives/partial', 'packages']) {
    mkdirSync(join(state, folder), { recursive: true });
  }
  const packages = join(state, 'packages');
  const run = (args: string[]) =>
    options.guard.runTool(apt, args, { cwd: packages, env: { ...options.env, LC_ALL: 'C' } });
  // Tries the system's package lists first; a fresh image has none, so it then downloads its own.
  const own = [`Dir::State::Lists=${state}/lists`, `Dir::Cache=${state}/cache`];
  const settings = [...own, 'APT::Sandbox::User=root'].flatMap((pair) => ['-o', pair]);
  const names = await listPackages(run, []).catch(async () => {
    await run([...settings, '-qq', 'update']);
    return listPackages(run, settings);
  });
  await run(['-o', 'APT::Sandbox::User=root', '-qq', 'download', ...names]).catch(async () => {
    await run([...settings, '-qq', 'update']);
    return run([...settings, '-qq', 'download', ...names]);
  });
  for (const file of readdirSync(packages)) {
    await options.guard.runTool(dpkg, ['-x', join(packages, file), temporary]);
  }
  rmSync(state, { recursive: true, force: true });
  rmSync(options.folder, { recursive: true, force: true });
  renameSync(temporary, options.folder);
}

/** Returns the names of the server's package and of its dependencies that this system lacks. */
async function listPackages(
  run: (args: string[]) => Promise<string>,
  settings: string[],
): Promise<string[]> {
  const flags = ['install', '--reinstall', '--no-install-recommends', '--print-uris', '-qq', '-y'];
  // The server is a link into redis-tools, which may be installed without redis-server.
  const packages = ['redis-server', 'redis-tools'];
  const lines = await run([...settings, '-o', 'Debug::NoLocking=1', ...flags, ...packages]);
  const files = [...lines.matchAll(/^'[^']*' ([^_\s]+)_\S+\.deb /gm)];
  return files.map((match) => match[1] ?? '').filter((name) => !BASE.test(name));
}

function readProgram(folder: string): RedisProgram | null {
  const command = join(folder, 'usr', 'bin', 'redis-server');
  if (!existsSync(command)) return null;
  const parents = ['usr/lib', 'lib'].map((parent) => join(folder, parent)).filter(existsSync);
  const libraries = parents.flatMap((parent) => [
    parent,
    ...readdirSync(parent).map((name) => join(parent, name)),
  ]);
  return { command, libraries: libraries.join(':') };
}
