/** Background work that runs periodically and on request. */
export interface Background {
  /** Starts a run, or schedules one after the current run. */
  runSoon(): void;
  start(): void;
  /** Resolves when the last run has ended. */
  stop(): Promise<void>;
}

// Completes the work of a gateway that was stopped.
const EVERY_MS = 60_000;

export function createBackground(
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): Background {
  let timer: NodeJS.Timeout | undefined;
  let run: Promise<void> | null = null;
  let isDue = false;

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
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await run;
    },
  };
}
