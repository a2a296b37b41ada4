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
 * Creates a circuit breaker, which fails calls immediately while a server is unavailable. It opens
 * after five failures in a row and closes on the first success. Calls in flight together that fail
 * count as one failure: a pause of this process is not an outage of the server.
 */
export function createBreaker(dependencies: BreakerDependencies) {
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
    /**
     * Returns null if the server must not be called. While open, allows one trial call per second.
     */
    enter() {
      if (!isOpen()) return begin();
      const now = dependencies.now();
      if (now - lastTrial < TRIAL_MS) return null;
      lastTrial = now;
      return begin();
    },
  };
}
export type Breaker = ReturnType<typeof createBreaker>;
