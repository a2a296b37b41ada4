import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import process from 'node:process';

/** A peer in its own process, so that its CPU time can be measured separately. */
export interface PeerProcess {
  pid: number;
  /** Returns the CPU time used so far, in microseconds. */
  cpuMicros(): number;
  residentBytes(): number;
  /** Returns the bytes in use after a garbage collection; only for peers that support it. */
  heldBytes(): Promise<number>;
  /** Returns the bytes in use without collecting first; only for peers that support it. */
  usedBytes(): Promise<number>;
  stop(): Promise<void>;
}

// Linux counts CPU time in hundredths of a second.
const TICK_MICROS = 10_000;

// Peers to kill if the bench is interrupted.
const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill();
});

/** Starts `peers/<name>.ts` and waits until it prints `ready`. */
export async function startPeer(
  name: string,
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<PeerProcess> {
  const file = fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [...flags, file], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  alive.add(child);
  child.once('exit', () => void alive.delete(child));
  const lines = createInterface({ input: child.stdout });
  await untilReady(child, lines, name);
  const pid = child.pid!;
  const bytesAt = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [line] = (await once(lines, 'line')) as [string];
    return Number(line);
  };
  return {
    pid,
    cpuMicros() {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
      return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
    },
    residentBytes() {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * 1_024;
    },
    heldBytes: () => bytesAt('SIGUSR2'),
    usedBytes: () => bytesAt('SIGWINCH'),
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

function untilReady(child: ChildProcess, lines: Interface, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the peer ${name} ended with ${code}`)));
    lines.on('line', (line) => {
      if (line === 'ready') resolve();
    });
  });
}
