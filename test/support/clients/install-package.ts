import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Installs a package of the tests from its lockfile, once. Returns false if the npm registry is
 * unreachable: what depends on `contents` cannot be tested then.
 */
export async function installPackage(home: URL, contents: string): Promise<boolean> {
  const versionFile = new URL('node_modules/.toolgate-installed', home);
  const lock = readFileSync(new URL('package-lock.json', home));
  const expected = createHash('sha256').update(lock).digest('hex');
  if (readVersionMark(versionFile) === expected) return true;
  try {
    await npm(home, 'ci', '--ignore-scripts', '--prefer-offline');
  } catch (error) {
    if (await isRegistryReachable(home)) throw error;
    console.log(`the npm registry is unreachable: ${contents} are not tested`);
    return false;
  }
  writeFileSync(versionFile, expected);
  return true;
}

function readVersionMark(versionFile: URL): string | null {
  try {
    return readFileSync(versionFile, 'utf8');
  } catch {
    return null;
  }
}

/** Returns whether the registry responds at all; if it does, a failed installation is an error. */
async function isRegistryReachable(home: URL): Promise<boolean> {
  const registry = await npm(home, 'config', 'get', 'registry');
  try {
    await fetch(registry.trim(), { signal: AbortSignal.timeout(5_000) });
    return true;
  } catch {
    return false;
  }
}

const npm = (home: URL, ...args: readonly string[]) =>
  new Promise<string>((resolve, reject) => {
    execFile('npm', args, { cwd: fileURLToPath(home) }, (error, output, errors) => {
      if (error === null) resolve(output);
      else reject(new Error(errors, { cause: error }));
    });
  });
