import type { Dispatcher } from 'undici';

type Handler = Dispatcher.DispatchHandler;
type Controller = Dispatcher.DispatchController;
export type ReceivedHeaders = Parameters<NonNullable<Handler['onResponseStart']>>[2];

/** Receives a response as it arrives; an error that it throws ends the exchange. */
export interface Receiver {
  onHead(status: number, headers: ReceivedHeaders): void;
  onChunk(chunk: Buffer): void;
}

export interface ExchangeOptions {
  receiver: Receiver;
  /** Total time: DNS, connection, headers and body. */
  timeoutMs: number;
  timeoutError(): Error;
  signal?: AbortSignal | undefined;
  /** Converts an error of the HTTP client. */
  mapError(error: unknown): Error;
}

/**
 * One request and its response, without a stream or a signal of its own: these cost more than the
 * rest of a short call.
 */
export class Exchange implements Handler {
  /** Resolves when the response is complete; rejects with the reason why it is not. */
  readonly done: Promise<void>;
  readonly #options: ExchangeOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = () => this.end(this.#options.signal?.reason);
  readonly #settle: PromiseWithResolvers<void>;
  #controller: Controller | null = null;
  #isEnded = false;
  #reason: unknown;

  constructor(options: ExchangeOptions) {
    const { signal, timeoutMs } = options;
    this.#options = options;
    this.#settle = Promise.withResolvers();
    this.done = this.#settle.promise;
    this.#timer = setTimeout(() => this.end(options.timeoutError()), timeoutMs);
    if (signal?.aborted === true) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort);
  }

  send(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions): void {
    if (!this.#isEnded) dispatcher.dispatch(request, this);
  }

  /** Ends the exchange early: `done` rejects with the reason. */
  end(reason: unknown): void {
    if (!this.#stop()) return;
    this.#reason = reason;
    this.#settle.reject(reason);
    this.#controller?.abort(asError(reason));
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#isEnded) controller.abort(asError(this.#reason));
  }

  onResponseStart(_controller: Controller, status: number, headers: ReceivedHeaders): void {
    if (!this.#isEnded) this.#receive(() => this.#options.receiver.onHead(status, headers));
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (!this.#isEnded) this.#receive(() => this.#options.receiver.onChunk(chunk));
  }

  onResponseEnd(): void {
    if (this.#stop()) this.#settle.resolve();
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (this.#stop()) this.#settle.reject(this.#options.mapError(error));
  }

  #receive(part: () => void): void {
    try {
      part();
    } catch (error) {
      this.end(error);
    }
  }

  /** Returns false if the exchange has already ended. */
  #stop(): boolean {
    if (this.#isEnded) return false;
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error('aborted', { cause: reason });
