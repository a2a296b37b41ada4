import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { homedir } from 'node:os';
import { Unavailable } from './unavailable.ts';

type Env = Record<string, string | undefined>;

/** Returns the path of the first of these programs in PATH or `folders`; null if none is found. */
export function findProgram(names: string[], env: Env, folders: string[] = []): string | null {
  const path = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of [...path, ...folders]) {
    for (const name of names) {
      if (isExecutable(join(folder, name))) return join(folder, name);
    }
  }
  return null;
}

/** Returns the cache folder of built and unpacked programs, shared by all later starts. */
export function cacheFolder(env: Env): string {
  const base = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return join(base, 'toolgate');
}

/**
 * Returns the folders `<parent>/<version>/bin`, newest first: Debian keeps PostgreSQL's programs in
 * `/usr/lib/postgresql/<version>/bin`, outside PATH.
 */
export function versionedFolders(parent: string): string[] {
  if (!existsSync(parent)) return [];
  const versions = readdirSync(parent).toSorted((left, right) => Number(right) - Number(left));
  return versions.map((version) => join(parent, version, 'bin'));
}

/** Returns the error for a missing server, with the three ways to provide it. */
export function missing(server: string, variable: string, remedy: string, cause = ''): Unavailable {
  const because = cause === '' ? '' : ` (${cause})`;
  return new Unavailable(
    `${server} not found${because}: set ${variable} to a running server, ` +
      `start Docker, or ${remedy}.`,
  );
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
