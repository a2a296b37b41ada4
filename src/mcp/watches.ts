import { credentialId, scopeName } from '../caller/caller.ts';
import type { KeyCaller, ScopeRef } from '../caller/caller.ts';
import type { Log } from '../platform/log.ts';
import { revisionsOf } from './legacy/session.ts';

/** What a credential sees now, as one digest of (id, version) for each list. */
export interface Digests {
  tools: string;
  prompts: string;
  resources: string;
}

/** Versions of those of the resources a caller can read now; the others are simply not there. */
export type ResourceVersions = (
  caller: KeyCaller,
  uris: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

/** An open stream as the watch over its credential knows it. */
export interface Watcher {
  /** Something may look different to this caller. Rejects to be asked again. */
  review(caller: KeyCaller, digests: Digests): Promise<void>;
  /** `invalid`: the credential is none any more. `doubt`: nobody could say. */
  end(reason: 'invalid' | 'doubt' | 'shutdown'): void;
}

export interface WatchDependencies {
  /** Status and revisions of all of them in one statement; null: valid no more. */
  readCallers(callers: readonly KeyCaller[]): Promise<ReadonlyMap<string, KeyCaller | null>>;
  digest(caller: KeyCaller): Promise<Digests>;
  /** A wake-up; it carries no content and may be lost. */
  subscribe(topic: string, wake: () => void): () => void;
  log: Log;
}

export interface Watches {
  /** Until the returned function is called; the credential is read again every second. */
  add(caller: KeyCaller, watcher: Watcher): WatchHandle;
  start(): void;
  /** Ends every stream. */
  stop(): void;
}

export interface WatchHandle {
  remove(): void;
  /** Asks for a review although nothing moved. */
  reviewSoon(): void;
}

interface Watch {
  caller: KeyCaller;
  watchers: Set<Watcher>;
  /** The revisions everybody was reviewed at; empty: somebody must be reviewed again. */
  reviewed: string;
  isReviewing: boolean;
  unsubscribe: (() => void)[];
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
  const { readCallers, digest, subscribe, log } = dependencies;
  const watches = new Map<string, Watch>();
  const woken = new Set<Watch>();
  let timer: NodeJS.Timeout | undefined;
  let wakeTimer: NodeJS.Timeout | undefined;
  let isChecking = false;
  let failingSince: number | null = null;
  let isStopped = false;

  async function check(asked: readonly Watch[], spreadMs: number): Promise<void> {
    if (asked.length === 0) return;
    const began = performance.now();
    try {
      const found = await readCallers(asked.map(({ caller }) => caller));
      failingSince = null;
      for (const watch of asked) apply(watch, found.get(credentialId(watch.caller)), spreadMs);
    } catch (error) {
      failingSince ??= began;
      log.warn({ err: error }, 'credentials of open streams could not be read');
      if (performance.now() - failingSince >= DOUBT_MS) endAll('doubt');
    }
  }

  function apply(watch: Watch, caller: KeyCaller | null | undefined, spreadMs: number): void {
    if (caller == null) return end(watch, 'invalid');
    watch.caller = caller;
    if (watch.isReviewing || revisionsOf(caller) === watch.reviewed) return;
    watch.isReviewing = true;
    // One edit may concern thousands of streams; their lists are not all computed at once.
    setTimeout(() => void review(watch), Math.random() * spreadMs);
  }

  async function review(watch: Watch): Promise<void> {
    const { caller } = watch;
    const revisions = revisionsOf(caller);
    watch.reviewed = revisions;
    try {
      const digests = await digest(caller);
      const reviews = [...watch.watchers].map((watcher) => watcher.review(caller, digests));
      const results = await Promise.allSettled(reviews);
      const failed = results.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    } catch (error) {
      watch.reviewed = '';
      log.warn({ err: error }, 'what an open stream shows could not be compared');
    } finally {
      watch.isReviewing = false;
    }
  }

  function wake(watch: Watch): void {
    woken.add(watch);
    wakeTimer ??= setTimeout(() => {
      wakeTimer = undefined;
      const asked = [...woken];
      woken.clear();
      void check(asked, asked.length > 1 ? SPREAD_MS : 0);
    }, WAKE_MS);
  }

  async function tick(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    await check([...watches.values()], SPREAD_MS).finally(() => (isChecking = false));
  }

  function end(watch: Watch, reason: Parameters<Watcher['end']>[0]): void {
    for (const watcher of [...watch.watchers]) watcher.end(reason);
    drop(watch);
  }

  function endAll(reason: Parameters<Watcher['end']>[0]): void {
    for (const watch of [...watches.values()]) end(watch, reason);
  }

  function drop(watch: Watch): void {
    const id = credentialId(watch.caller);
    woken.delete(watch);
    if (watches.get(id) === watch) watches.delete(id);
    for (const stop of watch.unsubscribe.splice(0)) stop();
  }

  function begin(caller: KeyCaller): Watch {
    const watch: Watch = {
      caller,
      watchers: new Set(),
      reviewed: revisionsOf(caller),
      isReviewing: false,
      unsubscribe: [],
    };
    watch.unsubscribe = caller.lane.map((scope: ScopeRef) =>
      subscribe(scopeName(scope), () => wake(watch)),
    );
    watches.set(credentialId(caller), watch);
    return watch;
  }

  return {
    add(caller, watcher) {
      const watch = watches.get(credentialId(caller)) ?? begin(caller);
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
          wake(watch);
        },
      };
    },
    start() {
      timer ??= setInterval(() => void tick(), TICK_MS).unref();
    },
    stop() {
      clearInterval(timer);
      clearTimeout(wakeTimer);
      timer = undefined;
      isStopped = true;
      endAll('shutdown');
    },
  };
}
