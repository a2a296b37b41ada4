import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { createFairQueue } from '../platform/concurrency/fair-queue.ts';
import type { QueueEntry } from '../platform/concurrency/fair-queue.ts';
import { ToolFailure } from './tool-failure.ts';
import type { ErrorCode } from '../platform/errors/error-codes.ts';

/** A computation that waits for a process. */
export interface ComputationEntry extends QueueEntry {
  /** Called when a process is ready for the task; if it rejects, so does the computation. */
  requirePermitted(): Promise<void>;
}

export interface WorkerPoolOptions {
  size?: number;
  /**
   * Concurrent computations per `fairnessKey`. Default: all processes but one, so that no key blocks
   * the others.
   */
  sizePerKey?: number;
  /** Deadline of one computation, excluding waiting and loading. */
  deadlineMs?: number;
  /** Deadline for starting a process and loading the tools. */
  startMs?: number;
  memoryMb?: number;
  /** Idle processes end after this time, so that an idle gateway has no processes. */
  idleMs?: number;
  maxWaiting?: number;
  /** Waiting computations per `fairnessKey`. */
  maxWaitingPerKey?: number;
  /** See `FairQueueOptions`. */
  halfLifeMs?: number;
  /** A module that exports `tools`, and `maxResultCharacters` if that is not a million. */
  module?: URL;
}

export interface Task {
  tool: string;
  input: unknown;
  now: Date;
}

export type WorkerMessage =
  | { kind: 'ready' }
  | { kind: 'result'; json: string }
  | {
      kind: 'failure';
      code: ErrorCode;
      message: string;
      details: Record<string, unknown> | undefined;
    }
  | { kind: 'defect'; message: string };

interface Worker {
  process: ChildProcess;
  isReady: boolean;
  ended: Promise<void>;
}

/** Creates a pool of processes, started on demand, ended when idle or when one exceeds a limit. */
export function createWorkerPool({
  size = 2,
  sizePerKey = Math.max(1, size - 1),
  deadlineMs = 4000,
  startMs = 10_000,
  memoryMb = 128,
  idleMs = 30_000,
  maxWaiting = 64,
  maxWaitingPerKey = 8,
  halfLifeMs,
  module = new URL('./computations.ts', import.meta.url),
}: WorkerPoolOptions = {}) {
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  const idleTimers = new Map<Worker, NodeJS.Timeout>();
  let isClosed = false;
  const queue = createFairQueue({
    size,
    sizePerKey,
    maxWaiting,
    maxWaitingPerKey,
    halfLifeMs,
    createBusyError: busyError,
  });

  /** Runs a tool's `compute`; rejects with its `ToolFailure`, or `too_complex` if over a limit. */
  async function compute(task: Task, entry: ComputationEntry) {
    await queue.enter(entry);
    const { signal } = entry;
    try {
      signal.throwIfAborted();
      if (isClosed) throw new ToolFailure('busy', 'The gateway is stopping. Try again shortly.');
      const worker = idle.pop() ?? start();
      clearTimeout(idleTimers.get(worker));
      const bounds = {
        ...{ deadlineMs, startMs, signal },
        requirePermitted: () => entry.requirePermitted(),
      };
      const answer = await runTask(worker, task, bounds).finally(() => returnToPool(worker));
      return resultOf(answer);
    } finally {
      queue.leave(entry);
    }
  }

  function start(): Worker {
    const worker = launch(module, memoryMb);
    all.add(worker);
    void worker.ended.then(() => removeFromPool(worker));
    return worker;
  }

  function returnToPool(worker: Worker): void {
    if (!all.has(worker)) return;
    idle.push(worker);
    idleTimers.set(worker, setTimeout(() => void end(worker), idleMs).unref());
  }

  function end(worker: Worker): Promise<void> {
    removeFromPool(worker);
    return kill(worker);
  }

  function removeFromPool(worker: Worker): void {
    all.delete(worker);
    clearTimeout(idleTimers.get(worker));
    idleTimers.delete(worker);
    if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
  }

  async function close(): Promise<void> {
    isClosed = true;
    await Promise.all([...all].map(end));
  }

  return { compute, close };
}
export type WorkerPool = ReturnType<typeof createWorkerPool>;

function launch(module: URL, memoryMb: number): Worker {
  const cache = getCompileCacheDir();
  const child = fork(new URL('./worker.ts', import.meta.url), [module.href], {
    // Passes on neither the gateway's secrets nor its Node options, such as a debugger's.
    env: cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) },
    execArgv: [`--max-old-space-size=${memoryMb}`, '--max-semi-space-size=8'],
    serialization: 'advanced',
    // Keeps V8's out-of-memory report out of the gateway's log.
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

function kill(worker: Worker): Promise<void> {
  // Keeps the event loop alive until this process has ended.
  worker.process.ref();
  worker.process.kill('SIGKILL');
  return worker.ended;
}

interface Bounds {
  deadlineMs: number;
  startMs: number;
  signal: AbortSignal;
  requirePermitted(): Promise<void>;
}

/**
 * Sends a task, if it is still permitted once the process is ready, and returns the worker's reply;
 * kills a process that does not reply.
 */
function runTask(worker: Worker, task: Task, bounds: Bounds): Promise<WorkerMessage> {
  const { process: child } = worker;
  const { signal } = bounds;
  return new Promise<WorkerMessage>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let isFinished = false;
    const finishWith = (finish: () => void) => {
      isFinished = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      child.off('message', onMessage).off('exit', onExit).off('error', onExit);
      finish();
    };
    const stop = (reason: unknown) =>
      finishWith(() => void kill(worker).finally(() => reject(reason)));
    const abort = () => stop(signal.reason);
    const onExit = () => stop(worker.isReady ? tooComplexError('memory') : notStartedError());
    const sendPermitted = () => {
      bounds.requirePermitted().then(sendTask, (error: unknown) => finishWith(() => reject(error)));
    };
    const sendTask = () => {
      if (isFinished) return;
      // Send errors are ignored: an ended process emits `exit` or `error`.
      child.send(task, () => {});
      timer = setTimeout(() => stop(tooComplexError('time')), bounds.deadlineMs);
    };
    const onMessage = (message: unknown) => {
      const answer = message as WorkerMessage;
      if (answer.kind !== 'ready') return finishWith(() => resolve(answer));
      clearTimeout(timer);
      worker.isReady = true;
      sendPermitted();
    };
    child.on('message', onMessage).on('exit', onExit).on('error', onExit);
    signal.addEventListener('abort', abort, { once: true });
    if (worker.isReady) sendPermitted();
    else timer = setTimeout(() => stop(notStartedError()), bounds.startMs);
  });
}

function resultOf(answer: WorkerMessage): unknown {
  if (answer.kind === 'result') return JSON.parse(answer.json);
  if (answer.kind === 'failure') throw new ToolFailure(answer.code, answer.message, answer.details);
  throw new Error(
    answer.kind === 'defect' ? answer.message : 'A worker process sent an unexpected reply.',
  );
}

const busyError = () =>
  new ToolFailure('busy', 'Too many computations are waiting. Try again shortly.');

const notStartedError = () => new Error('A worker process did not start.');

const tooComplexError = (limit: 'time' | 'memory') =>
  new ToolFailure(
    'too_complex',
    `Stopped: this input needs more ${limit} than a call may use. Make it smaller or simpler.`,
    { limit },
  );
