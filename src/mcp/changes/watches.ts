import { authenticatedBy } from '../../caller/principal.ts';
import type { AgentPrincipal } from '../../caller/principal.ts';
import type { Log } from '../../platform/observability/log.ts';
import { beginWatch, createReviewer, revisionsOf } from './watch.ts';
import type { Digests, EndReason, Watch, Watcher } from './watch.ts';

export interface WatchDependencies {
  /** Reads the status and revisions of all callers in one query; null for those no longer valid. */
  reread(callers: readonly AgentPrincipal[]): Promise<ReadonlyMap<string, AgentPrincipal | null>>;
  /** Returns whether a credential works at an address. */
  worksAt(caller: AgentPrincipal, address: Watcher['address']): boolean;
  digest(caller: AgentPrincipal): Promise<Digests>;
  /** Subscribes to wake-ups, which carry no content and may be lost. */
  subscribe(topic: string, wake: () => void): () => void;
  log: Log;
}

export interface WatchHandle {
  remove(): void;
  /** Requests a review even if no revision changed. */
  reviewSoon(): void;
}

const TICK_MS = 1_000;
const WAKE_MS = 20;
const SPREAD_MS = 500;
const UNREADABLE_MS = 5_000;

/**
 * Watches the credentials with open streams on this instance. It compares states, so
 * a change is noticed even if its message is lost, and a stream reveals only changes that its
 * credential can see (mcp.md 6).
 */
export function createWatches(dependencies: WatchDependencies) {
  const { subscribe } = dependencies;
  const watches = new Map<string, Watch>();
  const checker = createChecker(dependencies, end);
  const waker = createWaker((woken) => checker.check(woken, woken.length > 1 ? SPREAD_MS : 0));
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function begin(caller: AgentPrincipal): Watch {
    const watch = beginWatch(caller, subscribe, waker.wake);
    watches.set(authenticatedBy(caller), watch);
    return watch;
  }

  function end(watch: Watch, reason: EndReason): void {
    for (const watcher of [...watch.watchers]) watcher.end(reason);
    drop(watch);
  }

  function drop(watch: Watch): void {
    const id = authenticatedBy(watch.caller);
    if (watches.get(id) === watch) watches.delete(id);
    for (const stop of watch.unsubscribe.splice(0)) stop();
  }

  return {
    /** Watches until `remove` is called; the credential is reread every second. */
    add(caller: AgentPrincipal, watcher: Watcher): WatchHandle {
      const watch = watches.get(authenticatedBy(caller)) ?? begin(caller);
      watch.watchers.add(watcher);
      // Either this caller or the watch's may be more recent, so the next read triggers a review.
      if (watch.reviewed !== revisionsOf(caller)) watch.reviewed = '';
      // A stream opened during shutdown would prevent the process from exiting.
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
    /** Ends every stream, including those opened later. */
    stop() {
      clearInterval(timer);
      waker.stop();
      isStopped = true;
      for (const watch of [...watches.values()]) end(watch, 'shutdown');
    },
  };
}
export type Watches = ReturnType<typeof createWatches>;

/** Collects wake-ups for `WAKE_MS`, so that a burst of them causes one read. */
function createWaker(check: (woken: readonly Watch[]) => Promise<void>) {
  const woken = new Set<Watch>();
  let timer: NodeJS.Timeout | undefined;
  return {
    wake(watch: Watch): void {
      woken.add(watch);
      timer ??= setTimeout(() => {
        timer = undefined;
        const batch = [...woken].filter(({ watchers }) => watchers.size > 0);
        woken.clear();
        void check(batch);
      }, WAKE_MS);
    },
    stop: () => clearTimeout(timer),
  };
}

/**
 * Rereads credentials: ends the streams of those that are invalid or were unreadable for too long,
 * and reviews those that changed.
 */
function createChecker(
  { reread, worksAt, digest, log }: WatchDependencies,
  end: (watch: Watch, reason: EndReason) => void,
) {
  const reviewer = createReviewer(digest, log);
  let isChecking = false;
  let failing: { since: number; firstFailedAt: number } | null = null;

  async function check(batch: readonly Watch[], spreadMs: number): Promise<void> {
    if (batch.length === 0) return;
    const began = performance.now();
    try {
      const found = await reread(batch.map(({ caller }) => caller));
      failing = null;
      for (const watch of batch) {
        const caller = found.get(authenticatedBy(watch.caller));
        if (caller == null) end(watch, 'invalid');
        else {
          watch.caller = caller;
          for (const watcher of [...watch.watchers])
            if (!worksAt(caller, watcher.address)) watcher.end('invalid');
          reviewer.reviewIfChanged(watch, spreadMs);
        }
      }
    } catch (error) {
      const now = performance.now();
      failing ??= { since: began, firstFailedAt: now };
      log.warn({ err: error }, 'could not recheck the credentials of open streams');
      // If the process stalls, reads in flight fail regardless of their duration. Only a read that
      // began after the first failure, and fails too, proves that credentials still cannot be read.
      if (began >= failing.firstFailedAt && now - failing.since >= UNREADABLE_MS) {
        log.error(
          { streams: batch.length },
          'closing open streams: their credentials could not be rechecked',
        );
        for (const watch of batch) end(watch, 'unreadable');
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
