import { scopeName } from '../../caller/scope.ts';
import type { AgentPrincipal } from '../../caller/principal.ts';
import type { Log } from '../../platform/observability/log.ts';

/** The revisions of the principal's scopes: once they differ, any list may show something else. */
export const revisionsOf = (caller: Pick<AgentPrincipal, 'scopes'>): string =>
  caller.scopes
    .map((scope) => `${scopeName(scope)}@${scope.nonce}.${scope.content}`)
    .toSorted()
    .join(' ');

/** What a credential sees now, as one digest of (id, version) for each list. */
export interface Digests {
  tools: string;
  prompts: string;
  resources: string;
}

/** Versions of those of the resources a caller can read now; the others are simply not there. */
export type ResourceVersions = (
  caller: AgentPrincipal,
  uris: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

export type EndReason = 'invalid' | 'doubt' | 'shutdown';

/** An open stream as the watch over its credential knows it. */
export interface Watcher {
  /** Something may look different to this caller. Rejects to be asked again. */
  review(caller: AgentPrincipal, digests: Digests): Promise<void>;
  /** `invalid`: the credential is none any more. `doubt`: nobody could say. */
  end(reason: EndReason): void;
}

/** One credential with open streams here. */
export interface Watch {
  caller: AgentPrincipal;
  watchers: Set<Watcher>;
  /** The revisions everybody was reviewed at; empty: somebody must be reviewed again. */
  reviewed: string;
  isReviewing: boolean;
  unsubscribe: (() => void)[];
}

type Subscribe = (topic: string, wake: () => void) => () => void;

/** Begins to watch: `wake` is called when something of the credential may have changed. */
export function beginWatch(
  caller: AgentPrincipal,
  subscribe: Subscribe,
  wake: (watch: Watch) => void,
): Watch {
  const watch: Watch = {
    caller,
    watchers: new Set(),
    reviewed: revisionsOf(caller),
    isReviewing: false,
    unsubscribe: [],
  };
  const topics = caller.scopes.map(scopeName);
  watch.unsubscribe = topics.map((topic) => subscribe(topic, () => wake(watch)));
  return watch;
}

export interface Reviewer {
  /** Has all streams of a credential compare what it sees, if its revisions moved. */
  consider(watch: Watch, spreadMs: number): void;
}

export function createReviewer(
  digest: (caller: AgentPrincipal) => Promise<Digests>,
  log: Log,
): Reviewer {
  async function review(watch: Watch): Promise<void> {
    const { caller } = watch;
    watch.reviewed = revisionsOf(caller);
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

  return {
    consider(watch, spreadMs) {
      if (watch.isReviewing || revisionsOf(watch.caller) === watch.reviewed) return;
      watch.isReviewing = true;
      // One edit may concern thousands of streams; their lists are not all computed at once.
      setTimeout(() => void review(watch), Math.random() * spreadMs);
    },
  };
}
