import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { newId } from '../platform/ids.ts';
import type { ClientAddress } from './client-address.ts';
import type { GatewayDependencies } from './gateway.ts';
import { securityHeaders } from './security-headers.ts';

/** Sockets and their deadlines; the routes are Fastify's. */
const DEADLINES = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 72_000 };
const MAX_HEADER_BYTES = 16_384;

interface HttpServerDependencies extends Pick<
  GatewayDependencies,
  'mcp' | 'observe' | 'tracing' | 'secureCookies'
> {
  clientAddress: ClientAddress;
}

/**
 * The HTTP server. `/mcp` is answered before Fastify sees the request: it reads its own headers and
 * body, so routing, hooks and reply objects would only cost (docs/performance.md).
 */
export function createHttpServer(
  rest: RequestListener,
  { mcp, observe, tracing, secureCookies, clientAddress }: HttpServerDependencies,
): Server {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, ...DEADLINES });
  server.setTimeout(0);
  const guards = Object.entries(securityHeaders(secureCookies));
  const listener: RequestListener = (request, response) => {
    const { url = '' } = request;
    if (url !== '/mcp' && !url.startsWith('/mcp?')) return rest(request, response);
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
    response.setHeader('X-Request-Id', id);
    for (const [name, value] of guards) response.setHeader(name, value);
    const { rawHeaders, socket } = request;
    // Known while the connection stands; what it says is worked out only for calls that are kept.
    const { remoteAddress } = socket;
    void mcp(request, response, { id, address: () => clientAddress(remoteAddress, rawHeaders) });
  };
  return server.on('request', tracing.requests(listener));
}
