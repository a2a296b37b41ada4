import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { newId } from '../platform/ids.ts';
import type { Tracing } from '../platform/observability/tracing.ts';
import type { ClientAddress } from './client-address.ts';
import { GuardedResponse } from './guarded-response.ts';
import { RequestMessage } from './request-message.ts';
import { useHostOfTarget } from './request-target.ts';
import { securityHeaders } from './security-headers.ts';

/** Deadlines of sockets, in milliseconds. */
const DEADLINES = {
  ...{ headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 72_000 },
  // How often Node checks for expired sockets; its default is 30 seconds.
  connectionsCheckingInterval: 1_000,
};
const MAX_HEADER_BYTES = 16_384;
// Clients are configured by hand, so a trailing slash is common.
const MCP_URL = /^\/mcp\/?(?:\?|$)/;

export interface HttpServerDependencies {
  /** Handles every method of `/mcp` on the raw connection, before any of the body is read. */
  mcp(
    request: IncomingMessage,
    response: ServerResponse,
    facts: { id: string; address(): string },
  ): Promise<void>;
  observe(request: { route: string; method: string; status: number; seconds: number }): void;
  tracing: Pick<Tracing, 'requests' | 'route'>;
  secureCookies: boolean;
  clientAddress: ClientAddress;
}

/**
 * Creates the HTTP server. Requests to `/mcp` bypass Fastify: their handler reads headers and body
 * itself, so routing, hooks and reply objects would only add cost (docs/performance.md).
 */
export function createHttpServer(
  rest: RequestListener,
  { mcp, observe, tracing, secureCookies, clientAddress }: HttpServerDependencies,
): Server {
  const server = createServer({
    ...{ IncomingMessage: RequestMessage, ServerResponse: GuardedResponse },
    ...{ maxHeaderSize: MAX_HEADER_BYTES, ...DEADLINES },
    // Both handlers check for exactly one Host themselves: Node's own 400 would have no body.
    requireHostHeader: false,
  });
  server.setTimeout(0);
  const guards = Object.entries(securityHeaders(secureCookies)).flat();
  const listener: RequestListener<typeof RequestMessage, typeof GuardedResponse> = (
    request,
    response,
  ) => {
    useHostOfTarget(request);
    const { url = '' } = request;
    if (!MCP_URL.test(url)) return rest(request, response);
    tracing.route(request.method ?? '', '/mcp');
    const began = performance.now();
    response.on('close', () =>
      observe({
        route: '/mcp',
        method: request.method ?? '',
        status: response.statusCode,
        seconds: (performance.now() - began) / 1_000,
      }),
    );
    const id = newId();
    response.guards = ['X-Request-Id', id, ...guards];
    const { rawHeaders, socket } = request;
    // Read now, because it is lost when the connection closes; the client's address is computed on
    // demand.
    const { remoteAddress } = socket;
    void mcp(request, response, { id, address: () => clientAddress(remoteAddress, rawHeaders) });
  };
  return server.on('request', tracing.requests(listener));
}
