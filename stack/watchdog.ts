// Outlives a killed start: when the pipe to its owner closes, it ends what the owner left running.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { endProcess, identify, isAlive, pause } from './process-identity.ts';
import type { EndableProcess } from './process-identity.ts';

/** Orders from the owner, one JSON value per line. */
export type WatchdogCommand =
  | { watch: EndableProcess }
  | { forget: number }
  | { remove: string }
  | { run: string[] };

// OpenFGA and then PostgreSQL get ten seconds each; an engine that hangs does not delay the next
// start any longer.
const COMMAND_MS = 25_000;

const watched = new Map<number, EndableProcess>();
const removals: string[] = [];
const commands: string[][] = [];

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

for await (const line of createInterface({ input: process.stdin })) {
  const order: WatchdogCommand = JSON.parse(line);
  if ('watch' in order) watched.set(order.watch.pid, order.watch);
  if ('forget' in order) watched.delete(order.forget);
  if ('remove' in order) removals.push(order.remove);
  if ('run' in order) commands.push(order.run);
}

// In reverse order of their start: OpenFGA needs PostgreSQL until it has ended.
for (const target of [...watched.values()].toReversed()) await endProcess(target);
for (const command of commands) await runCommand(command);
for (const path of removals) rmSync(path, { recursive: true, force: true });

/** Runs a command; ends it and its children at the deadline. */
async function runCommand([command = '', ...args]: string[]): Promise<void> {
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  const identity = child.pid === undefined ? null : identify(child.pid);
  if (identity === null) return;
  const deadline = Date.now() + COMMAND_MS;
  while (isAlive(identity) && Date.now() < deadline) await pause(20);
  await endProcess({ ...identity, signal: 'SIGTERM', group: true }, 1000);
}
