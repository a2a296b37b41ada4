import type { Dispatcher } from 'undici';
import { OutboundError } from './outbound-error.ts';

type Handler = Dispatcher.DispatchHandler;
type Controller = Dispatcher.DispatchController;

// Each is handled on its own, and two megabytes of them may arrive in one turn of the event loop. A
// body of 2 MB has a quarter as many if each is a small TCP segment.
const MAX_CHUNKS = 16_384;
// Interim responses have no body, so that no other limit counts them.
const MAX_INTERIM = 16;

/**
 * An interceptor that ends a response whose body arrives in too many chunks, or that too many interim
 * ones (1xx) precede.
 */
export const limitChunks: Dispatcher.DispatcherComposeInterceptor =
  (dispatch) => (options, handler) =>
    dispatch(options, new ChunkLimit(handler));

class ChunkLimit implements Handler {
  readonly #handler: Handler;
  #chunks = 0;
  #interim = 0;

  constructor(handler: Handler) {
    this.#handler = handler;
  }

  onRequestStart(...started: Parameters<NonNullable<Handler['onRequestStart']>>): void {
    this.#handler.onRequestStart?.(...started);
  }

  onResponseStart(...head: Parameters<NonNullable<Handler['onResponseStart']>>): void {
    const [controller, status] = head;
    if (status < 200 && (this.#interim += 1) > MAX_INTERIM) {
      if (!controller.aborted)
        controller.abort(
          new OutboundError('invalid_response', 'Too many interim responses were sent.'),
        );
    } else this.#handler.onResponseStart?.(...head);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#chunks += 1;
    if (this.#chunks <= MAX_CHUNKS) this.#handler.onResponseData?.(controller, chunk);
    else if (!controller.aborted)
      controller.abort(
        new OutboundError('invalid_response', 'The response arrived in too many small chunks.'),
      );
  }

  onResponseEnd(...ended: Parameters<NonNullable<Handler['onResponseEnd']>>): void {
    this.#handler.onResponseEnd?.(...ended);
  }

  onResponseError(...failed: Parameters<NonNullable<Handler['onResponseError']>>): void {
    this.#handler.onResponseError?.(...failed);
  }
}
