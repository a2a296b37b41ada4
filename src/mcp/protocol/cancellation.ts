/** Whether the client has cancelled a call. */
export interface Cancellation {
  readonly isCancelled: boolean;
  /** Calls `act` once, immediately if already cancelled. Returns a function that removes it. */
  onCancel(act: () => void): () => void;
}

/**
 * Source of a cancellation. Every call has one and few are cancelled, so it must be cheap: creating
 * an AbortController and listening to it costs more than most calls. It is a class because an
 * object literal with a getter is expensive to create.
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
