import { Redis } from 'ioredis';

type Stream = Redis['stream'];

/**
 * A Redis whose commands of one turn of the event loop leave in one write. ioredis' own pipelining
 * would do that too, but holds the next ones back until the last are answered, and is dearer.
 */
export class OneWriteRedis extends Redis {
  #held: Stream | null = null;
  #turnsEnd: NodeJS.Immediate | undefined;

  override sendCommand(...sent: Parameters<Redis['sendCommand']>): unknown {
    this.#hold();
    return super.sendCommand(...sent);
  }

  /** What was asked so far leaves now: for whoever has waited for the end of the turn already. */
  readonly flush = (): void => {
    clearImmediate(this.#turnsEnd);
    this.#held?.uncork();
    this.#held = null;
  };

  #hold(): void {
    if (this.#held !== null || !this.stream) return;
    this.#held = this.stream;
    this.#held.cork();
    this.#turnsEnd = setImmediate(this.flush);
  }
}
