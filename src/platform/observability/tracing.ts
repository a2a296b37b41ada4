import type { RequestListener } from 'node:http';

/** Span attributes. Must not contain secrets, arguments, addresses or other client input. */
export type Attributes = Record<string, string | number | boolean>;

type AsyncWork = (...args: never[]) => Promise<unknown>;

/** Request tracing. Components are wrapped once, where they are assembled. */
export interface Tracing {
  /** Wraps a function so that each call during a request becomes a span of that request. */
  wrap<Work extends AsyncWork>(
    name: string,
    work: Work,
    describe?: (result: Awaited<ReturnType<Work>>, ...args: Parameters<Work>) => Attributes,
  ): Work;
  /** Makes each request a span, in the client's trace if it sends one (W3C `traceparent`). */
  requests(listener: RequestListener): RequestListener;
  /** Names the request's span after its route: the requested URL may contain secrets. */
  route(method: string, pattern: string): void;
  /** Adds attributes to the current span. */
  describe(attributes: Attributes): void;
  stop(): Promise<void>;
}

/** Disabled tracing: wraps nothing and has no overhead. */
export const noTracing: Tracing = {
  wrap: (_name, work) => work,
  requests: (listener) => listener,
  route() {},
  describe() {},
  async stop() {},
};
