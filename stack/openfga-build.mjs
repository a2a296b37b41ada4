// @ts-check How OpenFGA is built and where its program is stored. Plain JavaScript without
// dependencies, because the launcher compiles while npm installs the packages.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDockerAvailable } from './docker.mjs';
import { cacheFolder, findProgram } from './find-program.mjs';

/** @typedef {Record<string, string | undefined>} Env */

export const OPENFGA_VERSION = 'v1.22.1';

const MODULE = fileURLToPath(new URL('openfga', import.meta.url));
const PACKAGE = 'github.com/openfga/openfga/cmd/openfga';
const STAMP = `github.com/openfga/openfga/internal/build.Version=${OPENFGA_VERSION}`;

/**
 * Returns whether starting requires building OpenFGA: neither a URL nor Docker provides it, and no
 * built program exists. If PATH contains any version, the stack decides later.
 * @param {Env} env
 */
export async function isBuildNeeded(env) {
  if (env['OPENFGA_API_URL'] || findProgram(['openfga'], env) !== null) return false;
  return !existsSync(builtProgram(env)) && !(await isDockerAvailable(env));
}

/**
 * Returns the path of Go, from PATH or else from its default folder, which its installer does not
 * add to PATH; null if there is none.
 * @param {Env} env
 */
export function findGo(env) {
  return findProgram(['go'], env, [join(env['GOROOT'] || '/usr/local/go', 'bin')]);
}

/**
 * Returns arguments, folder and environment for Go to build OpenFGA as `target`.
 * @param {Env} env
 * @param {string} target
 */
export function buildCommand(env, target) {
  // The linker would remove the debug information anyway.
  const flags = ['-trimpath', '-gcflags=all=-dwarf=false', '-ldflags', `-s -w -X ${STAMP}`];
  return {
    args: ['build', ...flags, '-o', target, PACKAGE],
    cwd: MODULE,
    env: {
      HOME: homedir(),
      // The compiler collects garbage only above 1 GiB, which saves a sixth of the build's CPU
      // time.
      ...{ GOGC: 'off', GOMEMLIMIT: '1GiB' },
      ...env,
      // Like the official releases, without C, so that no C compiler is needed.
      CGO_ENABLED: '0',
      GOFLAGS: '-mod=readonly -buildvcs=false',
    },
  };
}

/**
 * Returns the path of the built program, which contains a hash of the checksums and of the sources
 * that replace modules (`openfga/without`), so that a build of other sources is never used.
 * @param {Env} env
 */
export function builtProgram(env) {
  const hash = createHash('sha256');
  const names = readdirSync(MODULE, { recursive: true }).map(String);
  for (const name of names.filter((path) => /\.(go|mod|sum)$/.test(path)).toSorted()) {
    hash.update(readFileSync(join(MODULE, name)));
  }
  const sources = hash.digest('hex').slice(0, 12);
  const name = `openfga-${OPENFGA_VERSION}-${sources}-${process.platform}-${process.arch}`;
  return join(cacheFolder(env), name, 'openfga');
}
