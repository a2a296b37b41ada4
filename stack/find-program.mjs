// @ts-check
// Plain JavaScript without dependencies, because the launcher uses it before anything is installed.
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** @typedef {Record<string, string | undefined>} Env */

/**
 * Returns the path of the first of these programs in PATH or `folders`; null if none is found.
 * @param {string[]} names
 * @param {Env} env
 * @param {string[]} [folders]
 */
export function findProgram(names, env, folders = []) {
  const path = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of [...path, ...folders]) {
    for (const name of names) {
      if (isExecutable(join(folder, name))) return join(folder, name);
    }
  }
  return null;
}

/**
 * Returns the cache folder of built and unpacked programs, shared by all later starts.
 * @param {Env} env
 */
export function cacheFolder(env) {
  const base = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return join(base, 'toolgate');
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
