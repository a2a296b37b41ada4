import { Worker } from 'node:worker_threads';
import { createPlaces } from './places.ts';
import type { Turn } from './places.ts';
import { ToolFailure } from './tool-failure.ts';

export interface Threads {
  /** Runs a tool's `compute`; rejects with its `ToolFailure`, or `too_complex` past a bound. */
  compute(task: Task, turn: Turn): Promise<unknown>;
  close(): Promise<void>;
}

export interface ThreadsOptions {
  size?: number;
  /** Of one computation, waiting and loading apart. */
  deadlineMs?: number;
  memoryMb?: number;
  /** An idle thread ends after this, so an idle gateway holds none. */
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

/** A few threads, started when needed, ended when idle and when a computation leaves its bounds. */
export function createThreads({
  size = 2,
  deadlineMs = 4000,
  memoryMb = 128,
  idleMs = 30_000,
  waiting = 64,
  waitingOfOne = 8,
  module = new URL('./tools.ts', import.meta.url),
}: ThreadsOptions = {}): Threads {
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  const sleepers = new Map<Worker, NodeJS.Timeout>();
  const places = createPlaces({ size, waiting, waitingOfOne });

  async function compute(task: Task, turn: Turn) {
    await places.enter(turn);
    const { signal } = turn;
    try {
      signal.throwIfAborted();
      const worker = idle.pop() ?? start();
      clearTimeout(sleepers.get(worker));
      const answer = await ask(worker, task, { deadlineMs, signal });
      rest(worker);
      return read(answer);
    } finally {
      places.leave();
    }
  }

  function start(): Worker {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: { module: module.href },
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 },
    });
    worker.unref();
    // Without a listener an idle thread's fault would end the process.
    worker.on('error', () => {});
    worker.once('exit', () => forget(worker));
    all.add(worker);
    return worker;
  }

  function rest(worker: Worker): void {
    if (!all.has(worker)) return;
    idle.push(worker);
    sleepers.set(worker, setTimeout(() => void end(worker), idleMs).unref());
  }

  function end(worker: Worker): Promise<number> {
    forget(worker);
    return worker.terminate();
  }

  function forget(worker: Worker): void {
    all.delete(worker);
    clearTimeout(sleepers.get(worker));
    sleepers.delete(worker);
    if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
  }

  async function close(): Promise<void> {
    await Promise.all([...all].map(end));
  }

  return { compute, close };
}

interface Bounds {
  deadlineMs: number;
  signal: AbortSignal;
}

/** One task, one answer; a thread that gives none is ended. */
function ask(worker: Worker, task: Task, { deadlineMs, signal }: Bounds): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      worker.off('message', hear).off('error', fail).off('exit', exit);
      finish();
    };
    const stop = (reason: unknown) =>
      settle(() => void worker.terminate().finally(() => reject(reason)));
    const hear = (answer: Answer) => {
      if (answer.kind !== 'ready') return settle(() => resolve(answer));
      timer = setTimeout(() => stop(tooComplex('time')), deadlineMs);
    };
    const fail = (error: Error & { code?: string }) =>
      stop(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooComplex('memory') : error);
    const exit = () => stop(tooComplex('memory'));
    const abort = () => stop(signal.reason);
    worker.on('message', hear).on('error', fail).on('exit', exit);
    signal.addEventListener('abort', abort, { once: true });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- no window
    worker.postMessage(task);
  });
}

function read(answer: Answer): unknown {
  if (answer.kind === 'result') return JSON.parse(answer.json);
  if (answer.kind === 'failure') throw new ToolFailure(answer.code, answer.message, answer.details);
  throw new Error(answer.kind === 'defect' ? answer.message : 'A thread answered out of turn.');
}

const tooComplex = (limit: 'time' | 'memory') =>
  new ToolFailure(
    'too_complex',
    `Stopped: this input needs more ${limit} than one call may use. Make it smaller or simpler.`,
    { limit },
  );
