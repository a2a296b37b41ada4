import type { Log } from '../platform/observability/log.ts';

/** Records key uses in batches shortly afterwards, without delaying requests. */
export interface UseRecorder {
  record(id: string): void;
  /** Resolves when everything recorded so far is written. */
  settled(): Promise<void>;
}

const MAX_WAITING = 10_000;

export function createUseRecorder(dependencies: {
  write(ids: readonly string[]): Promise<void>;
  log: Log;
}): UseRecorder {
  let waiting = new Set<string>();
  let writing: ReadonlySet<string> = new Set();
  let run: Promise<void> | null = null;

  async function writeAll(): Promise<void> {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    while (waiting.size > 0) {
      writing = waiting;
      waiting = new Set();
      try {
        await dependencies.write([...writing]);
      } catch (error) {
        // The key's next use finds `last_used_at` outdated and records it again.
        dependencies.log.warn({ err: error }, 'last_used_at of keys could not be written');
      }
    }
    writing = new Set();
    run = null;
  }

  return {
    record(id) {
      if (writing.has(id) || waiting.size >= MAX_WAITING) return;
      waiting.add(id);
      run ??= writeAll();
    },
    async settled() {
      await run;
    },
  };
}
