import { execFileSync } from 'node:child_process';
import { findProgram } from '../../../stack/find-program.mjs';

/** As root on Debian, installs packages with apt-get; returns false if that is not possible. */
export function installDebianPackages(...names: readonly string[]): boolean {
  const apt = findProgram(['apt-get'], process.env);
  if (apt === null || process.getuid?.() !== 0) return false;
  const run = (...args: string[]) =>
    execFileSync(apt, ['-qq', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  try {
    console.log(`Installing ${names.join(', ')} with apt-get (once) …`);
    run('update');
    run('install', '-y', '--no-install-recommends', ...names);
    return true;
  } catch {
    return false;
  }
}
