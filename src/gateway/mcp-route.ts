import type { FastifyInstance } from 'fastify';
import type { Tracing } from '../platform/observability/tracing.ts';
import type { ClientAddress } from './http/client-address.ts';
import type { GuardedResponse } from './http/guarded-response.ts';
import type { ObservedRequest } from './operations/metrics.ts';
import { observeResponse } from './operations/observed-responses.ts';
import { securityHeaders } from './http/security-headers.ts';

export interface McpRouteDependencies {
  /** Registers `/mcp`, whose responses are written to the raw connection. */
  mcp(app: FastifyInstance): void;
  observe(request: ObservedRequest): void;
  tracing: Pick<Tracing, 'route'>;
  secureCookies: boolean;
  clientAddress: ClientAddress;
}

/**
 * Registers `/mcp` without the hooks of the other routes, since it is called a thousand times as
 * often: it needs no cookies, and its headers are written at once (docs/performance.md).
 */
export function registerMcp(app: FastifyInstance, dependencies: McpRouteDependencies): void {
  const { observe, tracing, clientAddress } = dependencies;
  const guards = Object.entries(securityHeaders(dependencies.secureCookies)).flat();
  app.decorateRequest('mcp');
  app.addHook('onRequest', (request, reply, done) => {
    const { method, raw } = request;
    tracing.route(method, '/mcp');
    const response = reply.raw as GuardedResponse;
    response.guards = ['X-Request-Id', request.id, ...guards];
    observeResponse(response, { route: '/mcp', method }, observe);
    const { rawHeaders, socket } = raw;
    // Read now, because it is lost when the connection closes; the client's address is computed on
    // demand.
    const { remoteAddress } = socket;
    request.mcp = { address: () => clientAddress(remoteAddress, rawHeaders), sender: null };
    done();
  });
  dependencies.mcp(app);
}
