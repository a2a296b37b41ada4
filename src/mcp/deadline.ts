import type { Cancellation } from './cancellation.ts';

export const ENDED = Symbol('ended');

/** How long a call may run, and that its client may leave. Cheap where nothing waits. */
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

  /** Aborts at the deadline or when the client leaves; made when first asked for. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  /** The work's own outcome, or `ENDED` when its time was up or the client left. */
  race<T>(work: Promise<T>): Promise<T | typeof ENDED> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#isOver = true;
        resolve(ENDED);
        this.#controller?.abort();
      };
      const timer = setTimeout(end, this.#timeoutMs);
      const stopListening = this.#client.onCancel(end);
      const release = () => {
        clearTimeout(timer);
        stopListening();
      };
      work.then(
        (value) => {
          release();
          resolve(value);
        },
        (error: unknown) => {
          release();
          reject(error);
        },
      );
    });
  }
}
