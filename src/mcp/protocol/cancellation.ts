/** That a call's client gave it up. */
export interface Cancellation {
  readonly isCancelled: boolean;
  /** Told once, at once if it is too late already. Answers how to listen no longer. */
  onCancel(act: () => void): () => void;
}

/**
 * Every call has one and few are given up, so it is less than an AbortController, whose making and
 * listening cost more than most calls, and a class, since a literal with a getter is dear to make.
 */
export class CancellationSource implements Cancellation {
  isCancelled = false;
  #listeners: Set<() => void> | undefined;

  onCancel(act: () => void): () => void {
    if (this.isCancelled) act();
    else (this.#listeners ??= new Set()).add(act);
    return () => void this.#listeners?.delete(act);
  }

  cancel(): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    for (const act of this.#listeners ?? []) act();
    this.#listeners = undefined;
  }
}
