import type { ServerResponse } from 'node:http';
import type { ObservedRequest } from './metrics.ts';

/** A request that is about to be answered. */
export type BegunRequest = Pick<ObservedRequest, 'route' | 'method'>;

/** Status of a response that had not begun when its client went, as in the logs of nginx. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Observes a request, from now until its response closes: Fastify's `onResponse` is not called if
 * the connection closes before the response has ended.
 */
export function observeResponse(
  response: ServerResponse,
  request: BegunRequest,
  observe: (request: ObservedRequest) => void,
): void {
  const began = performance.now();
  response.once('close', () => {
    const status = response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST;
    observe({ ...request, status, seconds: (performance.now() - began) / 1_000 });
  });
}
