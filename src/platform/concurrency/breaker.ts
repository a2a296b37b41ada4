/** Circuit breaker: fails calls immediately while a server is unavailable. */
export interface Breaker {
  /**
   * Returns null if the server must not be called. While open, allows one trial call per second.
   */
  enter(): Attempt | null;
  isOpen(): boolean;
}

/** One call to the server; its outcome must be reported. */
export interface Attempt {
  reportSuccess(): void;
  reportFailure(error: unknown): void;
}

export interface BreakerDependencies {
  /** Returns milliseconds of a monotonic clock. */
  now(): number;
  onOpen(cause: unknown): void;
  onClose(): void;
}

const FAILURES = 5;
const TRIAL_MS = 1_000;

/**
 * Opens after five failures in a row and closes on the first success. Calls in flight together that
 * fail count as one failure: a pause of this process is not an outage of the server.
 */
export function createBreaker(dependencies: BreakerDependencies): Breaker {
  let failures = 0;
  let lastTrial = 0;
  const isOpen = () => failures >= FAILURES;

  function begin(): Attempt {
    const failuresBefore = failures;
    return {
      reportSuccess() {
        const wasOpen = isOpen();
        failures = 0;
        if (wasOpen) dependencies.onClose();
      },
      reportFailure(error) {
        if (failures !== failuresBefore) return;
        failures += 1;
        if (failures !== FAILURES) return;
        lastTrial = dependencies.now();
        dependencies.onOpen(error);
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
