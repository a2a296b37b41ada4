/** Work that is done in the background: soon when there is some, and regularly. */
export interface Background {
  /** Starts a run soon, or another one after that which is running. */
  runSoon(): void;
  start(): void;
  /** Resolves when no run is left. */
  stop(): Promise<void>;
}

// Finds what a gateway that was stopped left behind.
const EVERY_MS = 60_000;

export function createBackground(
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): Background {
  let timer: NodeJS.Timeout | undefined;
  let run: Promise<void> | null = null;
  let isDue = false;

  function runSoon(): void {
    isDue = true;
    run ??= (async () => {
      while (isDue) {
        isDue = false;
        await work().catch(failed);
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
