import type { AgentPrincipal } from '../../caller/principal.ts';
import type { Log } from '../../platform/observability/log.ts';
import { beginWatch, createReviewer, revisionsOf } from './watch.ts';
import type { Digests, EndReason, Watch, Watcher } from './watch.ts';

export interface WatchDependencies {
  /** Status and revisions of all of them in one statement; null: valid no more. */
  readAgain(
    callers: readonly AgentPrincipal[],
  ): Promise<ReadonlyMap<string, AgentPrincipal | null>>;
  digest(caller: AgentPrincipal): Promise<Digests>;
  /** A wake-up; it carries no content and may be lost. */
  subscribe(topic: string, wake: () => void): () => void;
  log: Log;
}

export interface Watches {
  /** Until the returned function is called; the credential is read again every second. */
  add(caller: AgentPrincipal, watcher: Watcher): WatchHandle;
  start(): void;
  /** Ends every stream, and those that are still opened. */
  stop(): void;
}

export interface WatchHandle {
  remove(): void;
  /** Asks for a review although nothing moved. */
  reviewSoon(): void;
}

const TICK_MS = 1_000;
const WAKE_MS = 20;
const SPREAD_MS = 500;
const DOUBT_MS = 5_000;

/**
 * Watches the credentials with open streams here: state is compared, so that no change is lost with
 * a message and none is told that this credential cannot see (mcp.md 6).
 */
export function createWatches(dependencies: WatchDependencies): Watches {
  const { subscribe } = dependencies;
  const watches = new Map<string, Watch>();
  const checker = createChecker(dependencies, end);
  const waker = createWaker((woken) => checker.check(woken, woken.length > 1 ? SPREAD_MS : 0));
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function begin(caller: AgentPrincipal): Watch {
    const watch = beginWatch(caller, subscribe, waker.wake);
    watches.set(caller.credential.id, watch);
    return watch;
  }

  function end(watch: Watch, reason: EndReason): void {
    for (const watcher of [...watch.watchers]) watcher.end(reason);
    drop(watch);
  }

  function drop(watch: Watch): void {
    const id = watch.caller.credential.id;
    if (watches.get(id) === watch) watches.delete(id);
    for (const stop of watch.unsubscribe.splice(0)) stop();
  }

  return {
    add(caller, watcher) {
      const watch = watches.get(caller.credential.id) ?? begin(caller);
      watch.watchers.add(watcher);
      // Which of two readings is the newer cannot be told, so both are compared with the next.
      if (watch.reviewed !== revisionsOf(caller)) watch.reviewed = '';
      // A stream opened while the others end would keep the process from ending.
      if (isStopped) setImmediate(() => end(watch, 'shutdown'));
      return {
        remove() {
          watch.watchers.delete(watcher);
          if (watch.watchers.size === 0) drop(watch);
        },
        reviewSoon() {
          watch.reviewed = '';
          waker.wake(watch);
        },
      };
    },
    start() {
      timer ??= setInterval(() => void checker.checkAll([...watches.values()]), TICK_MS).unref();
    },
    stop() {
      clearInterval(timer);
      waker.stop();
      isStopped = true;
      for (const watch of [...watches.values()]) end(watch, 'shutdown');
    },
  };
}

/** Gathers wake-ups for a moment, so that a burst of them is one reading. */
function createWaker(check: (woken: readonly Watch[]) => Promise<void>) {
  const woken = new Set<Watch>();
  let timer: NodeJS.Timeout | undefined;
  return {
    wake(watch: Watch): void {
      woken.add(watch);
      timer ??= setTimeout(() => {
        timer = undefined;
        const asked = [...woken].filter(({ watchers }) => watchers.size > 0);
        woken.clear();
        void check(asked);
      }, WAKE_MS);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Reads credentials again: ends what is invalid, or doubtful for too long, reviews what moved. */
function createChecker(
  { readAgain, digest, log }: WatchDependencies,
  end: (watch: Watch, reason: EndReason) => void,
) {
  const reviewer = createReviewer(digest, log);
  let isChecking = false;
  let failing: { since: number; firstFailedAt: number } | null = null;

  async function check(asked: readonly Watch[], spreadMs: number): Promise<void> {
    if (asked.length === 0) return;
    const began = performance.now();
    try {
      const found = await readAgain(asked.map(({ caller }) => caller));
      failing = null;
      for (const watch of asked) {
        const caller = found.get(watch.caller.credential.id);
        if (caller == null) end(watch, 'invalid');
        else {
          watch.caller = caller;
          reviewer.consider(watch, spreadMs);
        }
      }
    } catch (error) {
      const now = performance.now();
      failing ??= { since: began, firstFailedAt: now };
      log.warn({ err: error }, 'credentials of open streams could not be read');
      // A process that was stalled fails the reads of that time, however long they took: only one
      // that began afterwards shows that credentials still cannot be read.
      if (began >= failing.firstFailedAt && now - failing.since >= DOUBT_MS) {
        log.error({ streams: asked.length }, 'open streams end: credentials cannot be read');
        for (const watch of asked) end(watch, 'doubt');
      }
    }
  }

  return {
    check,
    async checkAll(watches: readonly Watch[]): Promise<void> {
      if (isChecking) return;
      isChecking = true;
      await check(watches, SPREAD_MS).finally(() => {
        isChecking = false;
      });
    },
  };
}
