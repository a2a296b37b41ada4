import type { FastifyReply, FastifyRequest } from 'fastify';
import { headerValues } from '../../platform/http/body.ts';

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const EXPOSED_HEADERS =
  'Content-Disposition, ETag, Location, Preference-Applied, Retry-After, WWW-Authenticate, X-Request-Id';

// Endpoints that clients running in a browser call; none of them reads a cookie.
const OPEN = /^\/(?:\.well-known\/|oauth\/(?:token|revoke|jwks)(?:\?|$))/;

/**
 * Creates the function that adds CORS headers (identity.md 4): under `/api` for a dashboard on its own origin, with cookies;
 * for metadata and tokens for any origin, without cookies. `/mcp` adds its own. Other origins get no
 * headers, so browsers do not let their pages read the response.
 */
export function createCors(dashboardOrigin: string | null) {
  return async function cors(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const isApi = request.url.startsWith('/api/');
    const isOpen = OPEN.test(request.url);
    if (isOpen) reply.header('access-control-allow-origin', '*');
    if (isApi && dashboardOrigin !== null) reply.header('vary', 'Origin');
    const [origin, ...more] = headerValues(request.raw.rawHeaders, 'origin');
    const isDashboard = origin === dashboardOrigin && more.length === 0;
    if (!isOpen && !(isApi && isDashboard)) return;
    if (isApi)
      reply.headers({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': EXPOSED_HEADERS,
      });
    if (!isPreflight(request)) return;
    const requestedHeaders = request.headers['access-control-request-headers'];
    if (requestedHeaders !== undefined)
      reply.header('access-control-allow-headers', requestedHeaders);
    await reply
      .status(204)
      .headers({ 'access-control-allow-methods': METHODS, 'access-control-max-age': '600' })
      .send();
  };
}

const isPreflight = ({ method, headers }: FastifyRequest) =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
