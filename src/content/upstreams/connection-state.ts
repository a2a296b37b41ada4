/** Options of requests that list something, as the SDK's client takes them. */
interface ListingOptions {
  signal: AbortSignal;
  timeout: number;
}

/** State of a connection: whether new calls may use it, and whether a list is being read. */
export class ConnectionState {
  isStale = false;
  isListing = false;
  readonly #listingMs: number;
  #broken = new AbortController();

  constructor(listingMs: number) {
    this.#listingMs = listingMs;
  }

  readonly markStale = (): void => {
    this.isStale = true;
  };

  /** Ends what is listed now: its response ended early or exceeded a limit. */
  readonly end = (error: Error): void => this.#broken.abort(error);

  /** Runs work that lists something; after a failure, new calls use another connection. */
  async list<T>(work: (options: ListingOptions) => Promise<T>): Promise<T> {
    this.#broken = new AbortController();
    const signal = AbortSignal.any([AbortSignal.timeout(this.#listingMs), this.#broken.signal]);
    this.isListing = true;
    try {
      return await work({ signal, timeout: this.#listingMs });
    } catch (error) {
      // The rest of the list may still arrive, and would count against later responses.
      this.markStale();
      throw signal.aborted ? signal.reason : error;
    } finally {
      this.isListing = false;
    }
  }
}
