import type { Cancellation } from '../protocol/cancellation.ts';

export const ENDED = Symbol('ended');

/** Ends a call at its timeout or when its client cancels; cheap for work that does not wait. */
export class Deadline {
  readonly #client: Cancellation;
  readonly #timeoutMs: number;
  #controller: AbortController | undefined;
  #isOver: boolean;

  constructor(client: Cancellation, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
    this.#isOver = client.isCancelled;
  }

  /** Aborts at the deadline or when the client cancels; created on first use. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Settles like the work, or resolves to `ENDED` at the deadline or when the client cancels. */
  race<T>(work: Promise<T>): Promise<T | typeof ENDED> {
    return new Promise((resolve, reject) => {
      let isSettled = false;
      let release = () => {};
      const end = () => {
        this.#isOver = true;
        resolve(ENDED);
        this.#controller?.abort();
      };
      if (this.#client.isCancelled) end();
      atEndOfTick(() => {
        if (isSettled || this.#isOver) return;
        const timer = setTimeout(end, this.#timeoutMs);
        const stopListening = this.#client.onCancel(end);
        release = () => {
          clearTimeout(timer);
          stopListening();
        };
      });
      work.then(
        (value) => {
          isSettled = true;
          release();
          resolve(value);
        },
        (error: unknown) => {
          isSettled = true;
          release();
          reject(error);
        },
      );
    });
  }
}

let pendingCallbacks: (() => void)[] = [];

/** Calls `run` after this turn of the event loop: work that ends in this turn needs no timer. */
function atEndOfTick(run: () => void): void {
  if (pendingCallbacks.length === 0) setImmediate(runAll);
  pendingCallbacks.push(run);
}

function runAll(): void {
  const callbacks = pendingCallbacks;
  pendingCallbacks = [];
  for (const run of callbacks) run();
}
