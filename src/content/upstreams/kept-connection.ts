import type { UpstreamConnection } from './connection.ts';
import { isRefusal } from './failure.ts';

export interface KeptTimings {
  /** A connection without a call ends. */
  idleMs: number;
  /** After this no new call meets it, so the tools it knows are never older. */
  lifeMs: number;
}

/** A connection that is shared by calls, and ends with the last one once it is retired. */
export class KeptConnection {
  readonly #connecting: Promise<UpstreamConnection>;
  readonly #timings: KeptTimings;
  readonly #ended: () => void;
  readonly #bornAt = performance.now();
  #connection: UpstreamConnection | null = null;
  #running = 0;
  #isRetired = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(
    connecting: Promise<UpstreamConnection>,
    timings: KeptTimings,
    /** Called once, when it is neither used nor usable any more. */
    ended: () => void,
  ) {
    this.#timings = timings;
    this.#ended = ended;
    this.#connecting = connecting.then((connection) => {
      this.#connection = connection;
      return connection;
    });
    // Whoever waits for it is told.
    this.#connecting.catch(() => this.retire());
  }

  get isUsable(): boolean {
    const isOld = performance.now() - this.#bornAt > this.#timings.lifeMs;
    return !this.#isRetired && !isOld && this.#connection?.isStale() !== true;
  }

  /** Nobody would miss it: another one may have its place. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    if (this.#running === 0) this.#end();
  }

  /** Whatever `work` rejects for but a refusal, a new connection might mend. */
  async use<T>(work: (connection: UpstreamConnection) => Promise<T>): Promise<T> {
    clearTimeout(this.#idle);
    this.#running += 1;
    try {
      return await work(await this.#connecting);
    } catch (error) {
      if (!isRefusal(error)) this.retire();
      throw error;
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#rest();
    }
  }

  /** Ends it under its calls. */
  async close(): Promise<void> {
    this.#isRetired = true;
    clearTimeout(this.#idle);
    const connection = await this.#connecting.catch(() => null);
    await connection?.close();
  }

  #rest(): void {
    if (this.#isRetired) this.#end();
    else this.#idle = setTimeout(() => this.retire(), this.#timings.idleMs).unref();
  }

  #end(): void {
    clearTimeout(this.#idle);
    this.#ended();
    void this.#connection?.close();
  }
}
