import type { Log } from '../platform/observability/log.ts';

const MAX_QUEUED = 10_000;

/** Records uses of credentials in batches, shortly after the use and without delaying requests. */
export function createUseRecorder(dependencies: {
  write(ids: readonly string[]): Promise<void>;
  log: Log;
}) {
  let queued = new Set<string>();
  let writing: ReadonlySet<string> = new Set();
  let run: Promise<void> | null = null;

  async function writeAll(): Promise<void> {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    while (queued.size > 0) {
      writing = queued;
      queued = new Set();
      try {
        await dependencies.write([...writing]);
      } catch (error) {
        // The credential's next use finds `last_used_at` outdated and records it again.
        dependencies.log.warn({ err: error }, 'last_used_at of credentials could not be written');
      }
    }
    writing = new Set();
    run = null;
  }

  return {
    record(id: string) {
      if (writing.has(id) || queued.size >= MAX_QUEUED) return;
      queued.add(id);
      run ??= writeAll();
    },
    /** Resolves when everything recorded so far is written. */
    async settled() {
      await run;
    },
  };
}
