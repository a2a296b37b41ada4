/** How long a call may run, and that its client may leave. */
export interface Deadline {
  /** Aborts at the deadline or when the client leaves; made when first asked for. */
  readonly signal: AbortSignal;
  /** The work's own outcome, or `ENDED` when its time was up or the client left. */
  race<T>(work: Promise<T>): Promise<T | typeof ENDED>;
}

export const ENDED = Symbol('ended');

/** Cheap where nothing waits: most tools are done before anybody asks for the signal. */
export function createDeadline(client: AbortSignal, timeoutMs: number): Deadline {
  let controller: AbortController | undefined;
  let isOver = client.aborted;
  return {
    get signal() {
      controller ??= new AbortController();
      if (isOver) controller.abort();
      return controller.signal;
    },
    race(work) {
      return new Promise((resolve, reject) => {
        const end = () => {
          isOver = true;
          release();
          resolve(ENDED);
          controller?.abort();
        };
        const timer = setTimeout(end, timeoutMs);
        const release = () => {
          clearTimeout(timer);
          client.removeEventListener('abort', end);
        };
        if (client.aborted) end();
        else client.addEventListener('abort', end, { once: true });
        work.finally(release).then(resolve, reject);
      });
    },
  };
}
