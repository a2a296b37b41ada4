import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { Tracing } from '../../platform/observability/tracing.ts';
import { GuardedResponse } from './guarded-response.ts';
import { RequestMessage } from './request-message.ts';
import { useHostOfTarget } from './request-target.ts';

/** Deadlines of sockets, in milliseconds. */
const DEADLINES = {
  ...{ headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 72_000 },
  // How often Node checks for expired sockets; its default is 30 seconds.
  connectionsCheckingInterval: 1_000,
};
const MAX_HEADER_BYTES = 16_384;

/** Creates the HTTP server under Fastify. */
export function createHttpServer(
  handle: RequestListener,
  tracing: Pick<Tracing, 'requests'>,
): Server {
  const server = createServer({
    ...{ IncomingMessage: RequestMessage, ServerResponse: GuardedResponse },
    ...{ maxHeaderSize: MAX_HEADER_BYTES, ...DEADLINES },
    // Every route checks for exactly one Host itself: Node's own 400 would have no body.
    requireHostHeader: false,
  });
  server.setTimeout(0);
  const listener: RequestListener<typeof RequestMessage, typeof GuardedResponse> = (
    request,
    response,
  ) => {
    useHostOfTarget(request);
    handle(request, response);
  };
  return server.on('request', tracing.requests(listener));
}
