import { IncomingMessage } from 'node:http';

// Node handles each chunk of a chunked body on its own, and reads up to two megabytes of them in one
// turn of the event loop, even if nobody reads the body.
const MAX_CHUNKS = 8_192;

/**
 * A request whose connection is closed if its body arrives in too many chunks. `readBody` refuses it
 * earlier, while there is still time to respond.
 */
export class RequestMessage extends IncomingMessage {
  #chunks = 0;

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk === null || (this.#chunks += 1) <= MAX_CHUNKS) return super.push(chunk, encoding);
    this.destroy();
    return false;
  }

  /** Called by Node after the response if nobody has read the body; its own skips `push`. */
  _dump(): void {
    this.removeAllListeners('data');
    this.resume();
  }
}
