import { scopeName } from '../../caller/scope.ts';
import type { AgentPrincipal } from '../../caller/principal.ts';
import type { Log } from '../../platform/observability/log.ts';

/** Returns the revisions of the principal's scopes; when they change, any list may have changed. */
export const revisionsOf = (caller: Pick<AgentPrincipal, 'scopes'>): string =>
  caller.scopes
    .map((scope) => `${scopeName(scope)}@${scope.nonce}.${scope.content}`)
    .toSorted()
    .join(' ');

/** One digest per list of what a credential sees now. */
export interface Digests {
  tools: string;
  prompts: string;
  resources: string;
}

/** Returns the versions of resources by URI, without those that the caller cannot read. */
export type ResourceVersions = (
  caller: AgentPrincipal,
  uris: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

export type EndReason = 'invalid' | 'unreadable' | 'shutdown';

/** An open stream. */
export interface Watcher {
  /** Returns the client's address; the stream ends when its credential no longer works there. */
  address(): string;
  /** Compares what the caller sees with what was last notified; called again if it rejects. */
  review(caller: AgentPrincipal, digests: Digests): Promise<void>;
  /** Ends the stream. `unreadable`: whether the credential is still valid is unknown. */
  end(reason: EndReason): void;
}

/** A credential with open streams on this instance. */
export interface Watch {
  caller: AgentPrincipal;
  watchers: Set<Watcher>;
  /** Revisions at which all streams were reviewed; empty if some must be reviewed again. */
  reviewed: string;
  isReviewing: boolean;
  unsubscribe: (() => void)[];
}

type Subscribe = (topic: string, wake: () => void) => () => void;

/** Starts to watch; calls `wake` when something may have changed for the credential. */
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

export function createReviewer(digest: (caller: AgentPrincipal) => Promise<Digests>, log: Log) {
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
      log.warn({ err: error }, 'could not compare the lists of an open stream');
    } finally {
      watch.isReviewing = false;
    }
  }

  return {
    /** Reviews all streams of a credential within `spreadMs` if its revisions changed. */
    reviewIfChanged(watch: Watch, spreadMs: number) {
      if (watch.isReviewing || revisionsOf(watch.caller) === watch.reviewed) return;
      watch.isReviewing = true;
      // One edit may affect thousands of streams: spread the computation of their lists.
      setTimeout(() => void review(watch), Math.random() * spreadMs);
    },
  };
}
