import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitForLock } from './folder-lock.ts';
import type { Guard } from './guard.ts';
import { cacheFolder, findProgram, missing } from './programs.ts';

type FindOptions = {
  guard: Guard;
  env: Record<string, string | undefined>;
  progress: (line: string) => void;
};

const OPENFGA_VERSION = 'v1.22.1';

const MODULE = fileURLToPath(new URL('openfga', import.meta.url));
const PACKAGE = 'github.com/openfga/openfga/cmd/openfga';
const REMEDY = `install OpenFGA ${OPENFGA_VERSION} or Go 1.21 or later so that it is in PATH`;

/** Returns the pinned version from PATH, else the one built earlier, else builds it with Go. */
export async function findOpenfga(options: FindOptions): Promise<string> {
  const installed = findProgram(['openfga'], options.env);
  if (installed !== null && (await isPinned(installed))) return installed;
  const built = builtProgram(options.env);
  if (existsSync(built)) return built;
  const go = findProgram(['go'], options.env, [goFolder(options.env)]);
  if (go === null) throw missing('OpenFGA', 'OPENFGA_API_URL', REMEDY);
  const lock = await waitForLock(`${dirname(built)}.lock`, () => {
    options.progress('Another start is building OpenFGA; waiting for it …');
  });
  try {
    if (!existsSync(built)) await build(options, go, built);
  } finally {
    lock.release();
  }
  return built;
}

/**
 * Returns the path of the built program, which contains a hash of the checksums and of the sources
 * that replace modules (`openfga/without`), so that a build of other sources is never used.
 */
export function builtProgram(env: FindOptions['env']): string {
  const hash = createHash('sha256');
  const names = globSync(['go.mod', 'go.sum', 'without/**/*.{go,mod}'], { cwd: MODULE });
  for (const name of names.toSorted()) hash.update(readFileSync(join(MODULE, name)));
  const sources = hash.digest('hex').slice(0, 12);
  const name = `openfga-${OPENFGA_VERSION}-${sources}-${process.platform}-${process.arch}`;
  return join(cacheFolder(env), name, 'openfga');
}

/** Returns the default folder of Go, which its installer does not add to PATH. */
function goFolder(env: FindOptions['env']): string {
  return join(env['GOROOT'] || '/usr/local/go', 'bin');
}

async function build(options: FindOptions, go: string, target: string): Promise<void> {
  const version = `github.com/openfga/openfga/internal/build.Version=${OPENFGA_VERSION}`;
  const draft = `${target}.${process.pid}`;
  const startedAt = Date.now();
  const tell = () => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    options.progress(`Building OpenFGA ${OPENFGA_VERSION} with Go … ${seconds} s`);
  };
  options.progress(
    `Building OpenFGA ${OPENFGA_VERSION} with Go (once, about a minute and a half) …`,
  );
  const timer = setInterval(tell, 30_000);
  mkdirSync(dirname(target), { recursive: true });
  try {
    const flags = ['-trimpath', '-ldflags', `-s -w -X ${version}`, '-o', draft];
    await options.guard.runTool(go, ['build', ...flags, PACKAGE], {
      cwd: MODULE,
      env: { HOME: homedir(), ...options.env, GOFLAGS: '-mod=readonly -buildvcs=false' },
    });
    if (!(await isPinned(draft))) throw new Error('the built program reports another version');
    renameSync(draft, target);
  } catch (error) {
    const said = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
    throw missing('OpenFGA', 'OPENFGA_API_URL', REMEDY, `its build failed: ${said}`);
  } finally {
    clearInterval(timer);
    rmSync(draft, { force: true });
  }
}

function isPinned(program: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, ['version'], { timeout: 10_000 }, (_error, stdout, stderr) => {
      resolve(`${stdout}${stderr}`.includes(`\`${OPENFGA_VERSION}\``));
    });
  });
}
