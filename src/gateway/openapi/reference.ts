import { hash } from 'node:crypto';
import Fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Route } from '../../caller/route.ts';
import { describeApi } from './document.ts';
import type { Deployment } from './document.ts';

const PREFIX = '/docs/api';
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g;

/**
 * Returns the content security policy of a page. Pages run on the origin of the session cookie, so
 * only the library's inline scripts are allowed, by hash. Inline styles are allowed, because the
 * library creates them at runtime.
 */
function contentSecurityPolicy(html: string): string {
  const scripts = [...html.matchAll(INLINE_SCRIPT)].map(
    ([, script]) => ` 'sha256-${hash('sha256', script!, 'base64')}'`,
  );
  return [
    "default-src 'self'",
    `script-src 'self'${scripts.join('')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Serves `/api/openapi.json`, and a page that shows it at `/docs/api`. */
export function registerReference(
  app: FastifyInstance,
  routes: readonly Route[],
  deployment: Deployment,
): void {
  // Created on the first request: it takes longer than the rest of a start, also of CLI commands.
  let text: string | undefined;
  app.get('/api/openapi.json', (_request, reply) => {
    text ??= JSON.stringify(describeApi(routes, deployment));
    return reply.type('application/json').send(text);
  });
  let pages: Promise<FastifyInstance> | null = null;
  const showPage = async (request: FastifyRequest, reply: FastifyReply) => {
    pages ??= createPages();
    const { statusCode, headers, rawPayload } = await (await pages).inject(request.url);
    // The gateway's 404 replaces the library's.
    if (statusCode === 404) return reply.callNotFound();
    const type = headers['content-type'] ?? 'text/html';
    const html = type.startsWith('text/html') ? rawPayload.toString() : '';
    reply.status(statusCode).headers({
      'content-type': type,
      'content-security-policy': contentSecurityPolicy(html),
    });
    if (headers.location) reply.header('location', headers.location);
    return reply.send(rawPayload);
  };
  app.get(PREFIX, showPage);
  app.get(`${PREFIX}/*`, showPage);
}

/** Disables the features that lead to services of the library's vendor. */
const configuration = {
  url: '/api/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  // No option removes these links.
  customCss: 'a[href*="scalar.com"] { display: none !important; }',
} as const;

/** Creates the pages on the first visit: their script takes 40 MB, and few gateways need it. */
async function createPages(): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const pages = Fastify();
  await pages.register(reference, { routePrefix: PREFIX, configuration });
  await pages.ready();
  return pages;
}
