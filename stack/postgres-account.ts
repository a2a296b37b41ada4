import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Unavailable } from './unavailable.ts';

/**
 * The user, program folder and home folder that PostgreSQL runs with; it refuses to run as root.
 */
export type Account = {
  programs: string;
  home: string;
  /** A folder outside the data folder that was created for it, or null. */
  externalFolder: string | null;
  wrap(command: string, args: string[]): Wrapped;
  /** Makes the server's user the owner of a path. */
  makeOwner(path: string): void;
};
type Wrapped = { command: string; args: string[]; uid?: number; gid?: number };

const NAMESPACE = ['--user', '--map-user=1000', '--map-group=1000'];

/**
 * Returns the caller's own account. For root, returns an account in a user namespace, where files
 * still belong to root or, if that is refused, the system's account for unprivileged services.
 */
export function findAccount(dataDir: string, programs: string): Account {
  const own = () => undefined;
  if (process.getuid?.() !== 0) {
    const wrap = (command: string, args: string[]) => ({ command, args });
    return { programs, home: dataDir, externalFolder: null, makeOwner: own, wrap };
  }
  if (spawnSync('unshare', [...NAMESPACE, 'true']).status === 0) {
    const wrap = (command: string, args: string[]) => ({
      command: 'unshare',
      args: [...NAMESPACE, command, ...args],
    });
    return { programs, home: dataDir, externalFolder: null, makeOwner: own, wrap };
  }
  return useServiceAccount(dataDir, programs);
}

function useServiceAccount(dataDir: string, programs: string): Account {
  const { uid, gid } = readServiceAccount();
  // That account cannot enter a checkout below a private home directory; it can enter this folder.
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  const open = join('/var/lib/toolgate', name);
  const home = join(isTraversable(dataDir) ? dataDir : open, 'postgres-home');
  mkdirSync(dirname(home), { recursive: true });
  mkdirSync(home, { recursive: true, mode: 0o700 });
  chownSync(home, uid, gid);
  return {
    programs: isTraversable(programs) ? programs : copyPrograms(programs, join(open, 'programs')),
    home,
    externalFolder: open,
    makeOwner: (path) => chownSync(path, uid, gid),
    wrap: (command, args) => ({ command, args, uid, gid }),
  };
}

/** Returns the account of an installed PostgreSQL, else the system's `nobody`. */
function readServiceAccount(): { uid: number; gid: number } {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Unavailable(
    'PostgreSQL cannot run as root, and there is no other account: ' +
      'set DATABASE_URL to a running server, start Docker, or run this as another user.',
  );
}

/** Returns whether all users may traverse this folder and its parents. */
function isTraversable(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

function copyPrograms(programs: string, target: string): string {
  const temporary = `${target}.new`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(dirname(target), { recursive: true });
  cpSync(dirname(programs), temporary, { recursive: true, verbatimSymlinks: true });
  rmSync(target, { recursive: true, force: true });
  renameSync(temporary, target);
  return join(target, basename(programs));
}
