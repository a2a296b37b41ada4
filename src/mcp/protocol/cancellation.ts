/** Tells a call whether its client has cancelled it. */
export interface Cancellation {
  readonly isCancelled: boolean;
  /**
   * Calls `callback` once, immediately if already cancelled. Returns a function that removes it.
   */
  onCancel(callback: () => void): () => void;
}

/**
 * Source of a cancellation. Every call has a source and few are cancelled, so it must be cheap:
 * creating an AbortController and listening to it costs more than most calls.
 */
export class CancellationSource implements Cancellation {
  isCancelled = false;
  #listeners: Set<() => void> | undefined;

  onCancel(callback: () => void): () => void {
    if (this.isCancelled) callback();
    else (this.#listeners ??= new Set()).add(callback);
    return () => void this.#listeners?.delete(callback);
  }

  cancel(): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    for (const callback of this.#listeners ?? []) callback();
    this.#listeners = undefined;
  }
}
