// Outlives a killed start: when the pipe to its owner closes, it ends what the owner left running.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { endProcess } from './process-identity.ts';
import type { EndableProcess } from './process-identity.ts';

/** Orders from the owner, one JSON value per line. */
export type WatchdogCommand =
  | { watch: EndableProcess }
  | { forget: number }
  | { remove: string }
  | { run: string[] };

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
for (const [command = '', ...args] of commands) spawnSync(command, args, { stdio: 'ignore' });
for (const path of removals) rmSync(path, { recursive: true, force: true });
