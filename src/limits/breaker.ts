/** Keeps callers from waiting for a server that is away. */
export interface Breaker {
  /** False: do not ask. While open, one caller a second is let through to try. */
  allows(): boolean;
  isOpen(): boolean;
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

/** Opens after five failures in a row and closes with the first success. */
export function createBreaker(dependencies: BreakerDependencies): Breaker {
  let failures = 0;
  let lastTrial = 0;
  const isOpen = () => failures >= FAILURES;
  return {
    isOpen,
    allows() {
      if (!isOpen()) return true;
      const now = dependencies.now();
      if (now - lastTrial < TRIAL_MS) return false;
      lastTrial = now;
      return true;
    },
    succeeded() {
      const wasOpen = isOpen();
      failures = 0;
      if (wasOpen) dependencies.closed();
    },
    failed(error) {
      failures += 1;
      if (failures !== FAILURES) return;
      lastTrial = dependencies.now();
      dependencies.opened(error);
    },
  };
}
