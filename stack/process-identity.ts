import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** A process and its start time, since the system reuses pids. */
export type ProcessIdentity = { pid: number; startedAt: string };

/** A process and the signal that ends it; `group` signals its process group, children included. */
export type EndableProcess = ProcessIdentity & { signal: NodeJS.Signals; group: boolean };

/** Returns a process's identity; null if it does not exist or is a zombie. */
export function identify(pid: number): ProcessIdentity | null {
  const startedAt = existsSync('/proc/self/stat') ? readProc(pid) : runPs(pid, 'lstart=');
  return startedAt === null ? null : { pid, startedAt };
}

export function isAlive(process: ProcessIdentity): boolean {
  return identify(process.pid)?.startedAt === process.startedAt;
}

/** Returns the command line of a process, or '' if it has ended. */
export function readCommandLine(pid: number): string {
  try {
    if (!existsSync('/proc/self/stat')) return runPs(pid, 'command=') ?? '';
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Sends the signal, then SIGKILL after `patienceMs`; waits for the end, at most 2 s longer. */
export async function endProcess(target: EndableProcess, patienceMs = 5000): Promise<void> {
  const deadline = Date.now() + patienceMs;
  signal(target, target.signal);
  while (isAlive(target) && Date.now() < deadline) await pause(20);
  if (!isAlive(target)) return;
  signal(target, 'SIGKILL');
  const lastDeadline = Date.now() + 2000;
  while (isAlive(target) && Date.now() < lastDeadline) await pause(20);
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

function signal(target: EndableProcess, name: NodeJS.Signals): void {
  if (!isAlive(target)) return;
  try {
    process.kill(target.group ? -target.pid : target.pid, name);
  } catch {
    // It ended in between.
  }
}

/**
 * Reads the start time, field 22 of stat, after the name, which may contain spaces and brackets.
 */
function readProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function runPs(pid: number, column: string): string | null {
  try {
    const args = ['-o', column, '-p', String(pid)];
    const output = execFileSync('ps', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    return output.toString().trim() || null;
  } catch {
    return null;
  }
}
