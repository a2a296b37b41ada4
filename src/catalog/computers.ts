import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { createPlaces } from '../platform/concurrency/places.ts';
import type { Turn } from '../platform/concurrency/places.ts';
import { ToolFailure } from './tool-failure.ts';

export interface Computers {
  /** Runs a tool's `compute`; rejects with its `ToolFailure`, or `too_complex` past a bound. */
  compute(task: Task, turn: Turn): Promise<unknown>;
  close(): Promise<void>;
}

export interface ComputersOptions {
  size?: number;
  /** Of one computation, waiting and loading apart. */
  deadlineMs?: number;
  /** Of loading the tools. */
  startMs?: number;
  memoryMb?: number;
  /** An idle process ends after this, so an idle gateway has none. */
  idleMs?: number;
  waiting?: number;
  /** Of one key. */
  waitingOfOne?: number;
  /** A module that exports `tools`. */
  module?: URL;
}

export interface Task {
  tool: string;
  input: unknown;
  now: Date;
}

export type Answer =
  | { kind: 'ready' }
  | { kind: 'result'; json: string }
  | { kind: 'failure'; code: string; message: string; details: Record<string, unknown> | undefined }
  | { kind: 'defect'; message: string };

interface Computer {
  process: ChildProcess;
  isReady: boolean;
  ended: Promise<void>;
}

/** A few processes, started when needed, ended when idle and when a computation breaks a bound. */
export function createComputers({
  size = 2,
  deadlineMs = 4000,
  startMs = 10_000,
  memoryMb = 128,
  idleMs = 30_000,
  waiting = 64,
  waitingOfOne = 8,
  module = new URL('./computations.ts', import.meta.url),
}: ComputersOptions = {}): Computers {
  const idle: Computer[] = [];
  const all = new Set<Computer>();
  const sleepers = new Map<Computer, NodeJS.Timeout>();
  let isClosed = false;
  const places = createPlaces({ size, waiting, waitingOfOne, busy });

  async function compute(task: Task, turn: Turn) {
    await places.enter(turn);
    const { signal } = turn;
    try {
      signal.throwIfAborted();
      if (isClosed) throw new ToolFailure('busy', 'The gateway is stopping. Try again shortly.');
      const computer = idle.pop() ?? start();
      clearTimeout(sleepers.get(computer));
      const answer = await ask(computer, task, { deadlineMs, startMs, signal });
      rest(computer);
      return read(answer);
    } finally {
      places.leave();
    }
  }

  function start(): Computer {
    const computer = launch(module, memoryMb);
    all.add(computer);
    void computer.ended.then(() => forget(computer));
    return computer;
  }

  function rest(computer: Computer): void {
    if (!all.has(computer)) return;
    idle.push(computer);
    sleepers.set(computer, setTimeout(() => void end(computer), idleMs).unref());
  }

  function end(computer: Computer): Promise<void> {
    forget(computer);
    return kill(computer);
  }

  function forget(computer: Computer): void {
    all.delete(computer);
    clearTimeout(sleepers.get(computer));
    sleepers.delete(computer);
    if (idle.includes(computer)) idle.splice(idle.indexOf(computer), 1);
  }

  async function close(): Promise<void> {
    isClosed = true;
    await Promise.all([...all].map(end));
  }

  return { compute, close };
}

function launch(module: URL, memoryMb: number): Computer {
  const cache = getCompileCacheDir();
  const child = fork(new URL('./computer.ts', import.meta.url), [module.href], {
    // No secret of the gateway's, and no option such as its debugger's.
    env: cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) },
    execArgv: [`--max-old-space-size=${memoryMb}`, '--max-semi-space-size=8'],
    serialization: 'advanced',
    // What V8 prints when a heap is full is no line of the gateway's log.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.on('error', () => {
      if (child.pid === undefined) resolve();
    });
  });
  return { process: child, isReady: false, ended };
}

function kill(computer: Computer): Promise<void> {
  // The loop waits for the end it asked for, and for no other.
  computer.process.ref();
  computer.process.kill('SIGKILL');
  return computer.ended;
}

interface Bounds {
  deadlineMs: number;
  startMs: number;
  signal: AbortSignal;
}

/** One task, one answer; a process that gives none is ended. */
function ask(computer: Computer, task: Task, bounds: Bounds): Promise<Answer> {
  const { process: child } = computer;
  const { signal } = bounds;
  return new Promise<Answer>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      child.off('message', hear).off('exit', gone).off('error', gone);
      finish();
    };
    const stop = (reason: unknown) =>
      settle(() => void kill(computer).finally(() => reject(reason)));
    const abort = () => stop(signal.reason);
    const gone = () => stop(computer.isReady ? tooComplex('memory') : notStarted());
    const give = () => {
      // A process that is gone says so by its end.
      child.send(task, () => {});
      timer = setTimeout(() => stop(tooComplex('time')), bounds.deadlineMs);
    };
    const hear = (message: unknown) => {
      const answer = message as Answer;
      if (answer.kind !== 'ready') return settle(() => resolve(answer));
      clearTimeout(timer);
      computer.isReady = true;
      give();
    };
    child.on('message', hear).on('exit', gone).on('error', gone);
    signal.addEventListener('abort', abort, { once: true });
    if (computer.isReady) give();
    else timer = setTimeout(() => stop(notStarted()), bounds.startMs);
  });
}

function read(answer: Answer): unknown {
  if (answer.kind === 'result') return JSON.parse(answer.json);
  if (answer.kind === 'failure') throw new ToolFailure(answer.code, answer.message, answer.details);
  throw new Error(answer.kind === 'defect' ? answer.message : 'A process answered out of turn.');
}

const busy = () => new ToolFailure('busy', 'Too many computations are waiting. Try again shortly.');

const notStarted = () => new Error('A process for computations did not start.');

const tooComplex = (limit: 'time' | 'memory') =>
  new ToolFailure(
    'too_complex',
    `Stopped: this input needs more ${limit} than one call may use. Make it smaller or simpler.`,
    { limit },
  );
