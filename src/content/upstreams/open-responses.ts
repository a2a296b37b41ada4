import { upstreamFailure } from './failure.ts';

const MAX_OPEN = 64;

/**
 * Counts the responses of one connection that are open: a server may keep complete ones open, so
 * they count until they are closed.
 */
export class OpenResponses {
  #count = 0;

  /** Throws `ToolFailure` if too many are open. Call `remove` when the response is closed. */
  add(): void {
    if (this.#count >= MAX_OPEN) throw upstreamFailure('has too many responses in progress.');
    this.#count += 1;
  }

  remove(): void {
    this.#count -= 1;
  }
}
