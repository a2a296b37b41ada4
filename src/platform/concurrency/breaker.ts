/** Keeps callers from waiting for a server that is away. */
export interface Breaker {
  /** Null: do not ask. While open, one question a second is let through to try. */
  enter(): Attempt | null;
  isOpen(): boolean;
}

/** One question to the server, told how it ended. */
export interface Attempt {
  succeeded(): void;
  failed(error: unknown): void;
}

export interface BreakerDependencies {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  opened(cause: unknown): void;
  closed(): void;
}

const FAILURES = 5;
const TRIAL_MS = 1_000;

/**
 * Opens after five failures in a row and closes with the first success. Questions that were under
 * way together fail together and count as one: a pause of this process is no outage of the server.
 */
export function createBreaker(dependencies: BreakerDependencies): Breaker {
  let failures = 0;
  let lastTrial = 0;
  const isOpen = () => failures >= FAILURES;

  function begin(): Attempt {
    const failuresBefore = failures;
    return {
      succeeded() {
        const wasOpen = isOpen();
        failures = 0;
        if (wasOpen) dependencies.closed();
      },
      failed(error) {
        if (failures !== failuresBefore) return;
        failures += 1;
        if (failures !== FAILURES) return;
        lastTrial = dependencies.now();
        dependencies.opened(error);
      },
    };
  }

  return {
    isOpen,
    enter() {
      if (!isOpen()) return begin();
      const now = dependencies.now();
      if (now - lastTrial < TRIAL_MS) return null;
      lastTrial = now;
      return begin();
    },
  };
}
