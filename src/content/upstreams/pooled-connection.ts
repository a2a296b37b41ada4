import type { UpstreamConnection } from './connection.ts';
import { isRejection } from './failure.ts';

export interface ConnectionTimings {
  /** How long a connection stays open without a call. */
  idleMs: number;
  /** Age after which new calls use a new connection; it bounds the age of the list of tools. */
  lifeMs: number;
}

/** A connection shared by calls. Once retired, it closes after its last call. */
export class PooledConnection {
  readonly #connecting: Promise<UpstreamConnection>;
  readonly #timings: ConnectionTimings;
  readonly #onEnded: () => void;
  readonly #createdAt = performance.now();
  #connection: UpstreamConnection | null = null;
  #running = 0;
  #isRetired = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(
    connecting: Promise<UpstreamConnection>,
    timings: ConnectionTimings,
    /** Called once, when the connection is retired and no longer in use. */
    onEnded: () => void,
  ) {
    this.#timings = timings;
    this.#onEnded = onEnded;
    this.#connecting = connecting.then((connection) => {
      this.#connection = connection;
      return connection;
    });
    // Callers of `use` get the error.
    this.#connecting.catch(() => this.retire());
  }

  get isUsable(): boolean {
    const isOld = performance.now() - this.#createdAt > this.#timings.lifeMs;
    return !this.#isRetired && !isOld && this.#connection?.isStale() !== true;
  }

  /** Whether no call uses the connection, so that it can be retired. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    if (this.#running === 0) this.#end();
  }

  /** Runs `work`. Retires the connection after any error but a rejection: a new one might succeed. */
  async use<T>(work: (connection: UpstreamConnection) => Promise<T>): Promise<T> {
    clearTimeout(this.#idle);
    this.#running += 1;
    try {
      return await work(await this.#connecting);
    } catch (error) {
      if (!isRejection(error)) this.retire();
      throw error;
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#becomeIdle();
    }
  }

  /** Closes the connection even if calls are still running. */
  async close(): Promise<void> {
    this.#isRetired = true;
    clearTimeout(this.#idle);
    const connection = await this.#connecting.catch(() => null);
    await connection?.close();
  }

  #becomeIdle(): void {
    if (this.#isRetired) this.#end();
    else this.#idle = setTimeout(() => this.retire(), this.#timings.idleMs).unref();
  }

  #end(): void {
    clearTimeout(this.#idle);
    this.#onEnded();
    void this.#connection?.close();
  }
}
