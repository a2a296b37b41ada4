import type { FastifyReply, FastifyRequest } from 'fastify';
import { createRequireOwnHost } from '../../platform/http/own-host.ts';
import type { Tracing } from '../../platform/observability/tracing.ts';
import type { ObservedRequest } from '../operations/metrics.ts';
import { observeResponse } from '../operations/observed-responses.ts';
import { createCors } from './cors.ts';
import { securityHeaders } from './security-headers.ts';

export interface BeginRequestDependencies {
  observe(request: ObservedRequest): void;
  tracing: Pick<Tracing, 'route'>;
  secureCookies: boolean;
  publicUrl: string;
  /** Null if the dashboard is on the gateway's origin. */
  dashboardOrigin: string | null;
}

/**
 * Creates what every request but those to `/mcp` begins with: it is observed, its response gets the
 * common headers, and its host is checked. Answers preflights.
 */
export function createBeginRequest({
  observe,
  tracing,
  secureCookies,
  publicUrl,
  dashboardOrigin,
}: BeginRequestDependencies) {
  const guards = securityHeaders(secureCookies);
  const requireOwnHost = createRequireOwnHost(publicUrl);
  const cors = createCors(dashboardOrigin);
  return async function beginRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? 'unknown';
    tracing.route(method, route);
    observeResponse(reply.raw, { route, method }, observe);
    reply.headers({ ...guards, 'x-request-id': request.id });
    requireOwnHost(request.raw);
    await cors(request, reply);
  };
}
export type BeginRequest = ReturnType<typeof createBeginRequest>;
