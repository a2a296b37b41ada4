import type { RequestListener } from 'node:http';

/** Never a secret, an argument, an address or anything else a client wrote. */
export type Attributes = Record<string, string | number | boolean>;

type AsyncWork = (...given: never[]) => Promise<unknown>;

/** Where the time of a request goes. Parts are wrapped once, where they are put together. */
export interface Tracing {
  /** The same function; each call of it for a request is a span of that request. */
  around<Work extends AsyncWork>(
    name: string,
    work: Work,
    describe?: (result: Awaited<ReturnType<Work>>, ...given: Parameters<Work>) => Attributes,
  ): Work;
  /** Each request is a span, of the client's trace where it says so (W3C `traceparent`). */
  requests(listener: RequestListener): RequestListener;
  /** Names the request's span by its route: the address as sent may hold secrets. */
  route(method: string, pattern: string): void;
  /** Adds to the span under way. */
  describe(attributes: Attributes): void;
  stop(): Promise<void>;
}

/** Nothing is wrapped, so that nothing costs anything. */
export const noTracing: Tracing = {
  around: (_name, work) => work,
  requests: (listener) => listener,
  route() {},
  describe() {},
  async stop() {},
};
