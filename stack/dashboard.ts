import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Unavailable } from './unavailable.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Where the built pages are; the gateway serves this folder. */
export const DASHBOARD_FOLDER = join(ROOT, 'dist/dashboard');
const STAMP = join(ROOT, 'dist/dashboard.json');
const BUILD = fileURLToPath(new URL('dashboard-build.ts', import.meta.url));

/** Builds the dashboard in a process of its own, unless it is up to date. */
export async function ensureDashboard(progress: (line: string) => void): Promise<void> {
  if (isCurrent()) return;
  progress('Building the dashboard (once per version, about ten seconds) …');
  const child = spawn(process.execPath, [BUILD], { stdio: ['ignore', 'inherit', 'inherit'] });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('exit', resolve);
  child.once('error', reject);
  if ((await promise) !== 0)
    throw new Unavailable('The dashboard could not be built; the error is above.');
}

/** Returns the contents of the stamp that a build from these modules is marked with. */
export function stampOf(modules: readonly string[]): { modules: string[]; hash: string } {
  const files = modules.map((file) => relative(ROOT, file)).toSorted();
  const hash = createHash('sha256');
  for (const file of [...new Set([...files, ...ownFiles()])].toSorted())
    hash
      .update(`${file}\n`)
      .update(readFileSync(join(ROOT, file)))
      .update('\n');
  return { modules: files, hash: hash.digest('hex') };
}

/** The dashboard's own files, the look, the build and the packages: each may change the pages. */
const ownFiles = () => [
  ...globSync('src/{dashboard,look}/**/*.*', { cwd: ROOT }),
  ...['stack/dashboard-build.ts', 'package-lock.json'],
];

function isCurrent(): boolean {
  try {
    const { modules, hash } = JSON.parse(readFileSync(STAMP, 'utf8')) as ReturnType<typeof stampOf>;
    return stampOf(modules.map((file) => join(ROOT, file))).hash === hash;
  } catch {
    return false;
  }
}
