// Completes the work of a gateway that was stopped.
const EVERY_MS = 60_000;

/** Runs background work periodically and on request. */
export function createBackground(work: () => Promise<void>, onError: (error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined;
  let run: Promise<void> | null = null;
  let isDue = false;

  /** Starts a run, or schedules one after the current run. */
  function runSoon(): void {
    isDue = true;
    run ??= (async () => {
      while (isDue) {
        isDue = false;
        await work().catch(onError);
      }
      run = null;
    })();
  }

  return {
    runSoon,
    start() {
      timer ??= setInterval(runSoon, EVERY_MS).unref();
    },
    /** Resolves when the last run has ended. */
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await run;
    },
  };
}
export type Background = ReturnType<typeof createBackground>;
