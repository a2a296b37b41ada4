import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** A process and when it began, since the system gives a number to someone else in time. */
export type ProcessIdentity = { pid: number; startedAt: string };

/** What is ended by which signal; `group` also reaches the children it started. */
export type EndableProcess = ProcessIdentity & { signal: NodeJS.Signals; group: boolean };

/** Null when no such process lives; a zombie is dead. */
export function identify(pid: number): ProcessIdentity | null {
  const startedAt = existsSync('/proc/self/stat') ? readProc(pid) : askPs(pid, 'lstart=');
  return startedAt === null ? null : { pid, startedAt };
}

export function isAlive(process: ProcessIdentity): boolean {
  return identify(process.pid)?.startedAt === process.startedAt;
}

/** The words it was started with, or '' when it is gone. */
export function readCommandLine(pid: number): string {
  try {
    if (!existsSync('/proc/self/stat')) return askPs(pid, 'command=') ?? '';
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Asks it to end, insists after `patienceMs`, and returns once it is gone. */
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
    // It ended by itself in between.
  }
}

/** Field 22 of stat, counted behind the name, which may hold blanks and brackets. */
function readProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

function askPs(pid: number, column: string): string | null {
  try {
    const args = ['-o', column, '-p', String(pid)];
    const answer = execFileSync('ps', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    return answer.toString().trim() || null;
  } catch {
    return null;
  }
}
