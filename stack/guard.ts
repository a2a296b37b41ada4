import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endProcess, identify, isAlive, pause } from './process-identity.ts';
import type { EndableProcess, ProcessIdentity } from './process-identity.ts';
import { Unavailable } from './unavailable.ts';
import type { WatchdogCommand } from './watchdog.ts';

// Every container has stopped within this time, if necessary by force.
const WATCHDOG_MS = 30_000;

export type ServerProcess = {
  /** Resolves when the process has ended, for any reason. */
  ended: Promise<void>;
  hasEnded(): boolean;
  stop(): Promise<void>;
};

export type ServerCommand = {
  command: string;
  args: string[];
  logFile: string;
  signal: NodeJS.Signals;
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
};

/** Starts processes that never outlive this one, however it ends. */
export type Guard = {
  startServer(server: ServerCommand): ServerProcess;
  /** Runs a tool to completion; rejects with the last lines of its output. */
  runTool(command: string, args: string[], options?: SpawnOptions): Promise<string>;
  /** Ends this detached child and its children together with the other processes. */
  adopt(child: ChildProcess): void;
  /** Runs this command, or removes this path, when this process ends, even by SIGKILL. */
  onEnd(order: { run: string[] } | { remove: string }): void;
  /** Ends all running processes, last started first. */
  close(): Promise<void>;
};

/**
 * Creates a guard. `journal` lists the running processes, so that the next start ends those that
 * even the watchdog missed.
 */
export function createGuard(journal: string): Guard {
  const running = new Map<number, EndableProcess>();
  const lastOrders: WatchdogCommand[] = [];
  let isClosed = false;
  const watchdog = createWatchdog(watchdogFile(journal), () => [
    ...[...running.values()].map((watch) => ({ watch })),
    ...lastOrders,
  ]);

  const watch = (child: ChildProcess, signal: NodeJS.Signals, group: boolean): void => {
    const identity = child.pid === undefined ? null : identify(child.pid);
    if (identity === null) return;
    const target = { ...identity, signal, group };
    running.set(target.pid, target);
    watchdog.send({ watch: target });
    writeIfFolderExists(journal, [...running.values()]);
    child.once('exit', () => {
      running.delete(target.pid);
      watchdog.send({ forget: target.pid });
      writeIfFolderExists(journal, [...running.values()]);
    });
  };

  return {
    startServer: (server) => {
      throwIfClosed(isClosed);
      return startServer(server, watch);
    },
    runTool: async (command, args, options) => {
      throwIfClosed(isClosed);
      return runTool(command, args, options ?? {}, watch);
    },
    adopt: (child) => watch(child, 'SIGTERM', true),
    onEnd: (order) => {
      lastOrders.push(order);
      watchdog.send(order);
    },
    close: async () => {
      isClosed = true;
      for (const target of [...running.values()].toReversed()) await endProcess(target);
      // The watchdog can finish removing large folders alone, but containers must have stopped.
      const hasCommands = lastOrders.some((order) => 'run' in order);
      await Promise.race([watchdog.close(), pause(hasCommands ? WATCHDOG_MS : 3000)]);
    },
  };
}

/**
 * Ends the processes that a killed start left running and returns their number. Waits for its
 * watchdog, which may still be stopping containers that the next start would find running.
 */
export async function stopOrphans(journal: string): Promise<number> {
  const targets = readJson<EndableProcess[]>(journal, []).filter(isAlive);
  for (const target of targets.toReversed()) await endProcess(target);
  const watchdog = readJson<ProcessIdentity | null>(watchdogFile(journal), null);
  const isAtWork = () => watchdog !== null && isAlive(watchdog);
  const deadline = Date.now() + WATCHDOG_MS;
  while (isAtWork() && Date.now() < deadline) await pause(20);
  return targets.length;
}

/**
 * Throws when the stack is stopping: a start that failed in one place must not continue elsewhere.
 */
function throwIfClosed(isClosed: boolean): void {
  if (isClosed) throw new Unavailable('The stack is stopping.');
}

type Watch = (child: ChildProcess, signal: NodeJS.Signals, group: boolean) => void;

function startServer(server: ServerCommand, watch: Watch): ServerProcess {
  mkdirSync(dirname(server.logFile), { recursive: true });
  const log = openSync(server.logFile, 'a', 0o600);
  // Detached, so that Ctrl-C reaches only this process, which then stops the servers in order.
  const child = spawn(server.command, server.args, {
    detached: true,
    stdio: ['ignore', log, log],
    env: server.env ?? process.env,
    ...(server.uid === undefined ? {} : { uid: server.uid }),
    ...(server.gid === undefined ? {} : { gid: server.gid }),
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  watch(child, server.signal, false);
  child.unref();
  const identity = child.pid === undefined ? null : identify(child.pid);
  let isOver = identity === null;
  void ended.then(() => {
    isOver = true;
  });
  return {
    ended,
    hasEnded: () => isOver,
    stop: async () => {
      if (identity === null || isOver) return;
      await endProcess({ ...identity, signal: server.signal, group: false });
    },
  };
}

function runTool(
  command: string,
  args: string[],
  options: SpawnOptions,
  watch: Watch,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...options,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout?.on('data', (chunk) => void (output += String(chunk)));
    let errors = '';
    child.stderr?.on('data', (chunk) => void (errors = (errors + String(chunk)).slice(-4000)));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) return resolve(output);
      const lastLines = (errors.trim() || output.trim()).split('\n').slice(-5).join('\n');
      reject(new Error(`${command} exited with ${code}: ${lastLines}`));
    });
    watch(child, 'SIGTERM', true);
  });
}

/** Starts the watchdog, and restarts it with all known orders if it is killed. */
function createWatchdog(file: string, known: () => WatchdogCommand[]) {
  let isClosing = false;
  let child = start();

  function start(): ChildProcess {
    const script = fileURLToPath(new URL('watchdog.ts', import.meta.url));
    const next = spawn(process.execPath, [script], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    next.stdin?.on('error', () => undefined);
    if (next.stdin instanceof Socket) next.stdin.unref();
    next.once('exit', () => {
      if (isClosing) return;
      child = start();
      for (const order of known()) send(order);
    });
    next.unref();
    writeIfFolderExists(file, next.pid === undefined ? null : identify(next.pid));
    return next;
  }

  function send(order: WatchdogCommand): void {
    child.stdin?.write(`${JSON.stringify(order)}\n`);
  }

  return {
    send,
    close: () => {
      isClosing = true;
      const exited = new Promise<void>((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) resolve();
        child.once('exit', () => resolve());
      });
      child.stdin?.end();
      return exited;
    },
  };
}

function watchdogFile(journal: string): string {
  return join(dirname(journal), 'watchdog.json');
}

/** Writes a file unless its folder has been removed, which must not end a running stack. */
function writeIfFolderExists(file: string, value: unknown): void {
  try {
    writeFileSync(file, JSON.stringify(value));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function readJson<Value>(file: string, fallback: Value): Value {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return fallback;
  }
}
