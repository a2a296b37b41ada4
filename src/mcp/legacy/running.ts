import type { Exchange } from './exchange.ts';

export interface Job {
  signal: AbortSignal;
  end(): void;
}

/** The calls this instance runs for sessions of any instance. */
export interface Running {
  begin(sessionKey: string, requestId: string | number, exchange: Exchange): Job;
  /** False: it does not run here. */
  cancel(sessionKey: string, requestId: string | number): boolean;
  exchanges(): Iterable<Exchange>;
  /** Resolves when nothing runs any more, or at the deadline. */
  idle(timeoutMs: number): Promise<void>;
}

interface Entry {
  abort: AbortController;
  exchange: Exchange;
}

export function createRunning(): Running {
  const jobs = new Map<string, Set<Entry>>();
  let onIdle: (() => void) | null = null;
  const nameOf = (sessionKey: string, requestId: string | number) =>
    `${sessionKey} ${JSON.stringify(requestId)}`;
  return {
    begin(sessionKey, requestId, exchange) {
      const name = nameOf(sessionKey, requestId);
      const entry: Entry = { abort: new AbortController(), exchange };
      const same = jobs.get(name) ?? new Set();
      jobs.set(name, same.add(entry));
      return {
        signal: entry.abort.signal,
        end() {
          same.delete(entry);
          if (same.size === 0) jobs.delete(name);
          if (jobs.size === 0) onIdle?.();
        },
      };
    },
    cancel(sessionKey, requestId) {
      const same = jobs.get(nameOf(sessionKey, requestId));
      for (const { abort } of same ?? []) abort.abort();
      return same !== undefined;
    },
    *exchanges() {
      for (const same of jobs.values()) for (const { exchange } of same) yield exchange;
    },
    async idle(timeoutMs) {
      if (jobs.size === 0) return;
      await new Promise<void>((resolve) => {
        onIdle = resolve;
        setTimeout(resolve, timeoutMs).unref();
      });
    },
  };
}
