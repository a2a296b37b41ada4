import type { FastifyInstance } from 'fastify';

/** A small page or script of the gateway; the dashboard is served from files. */
export interface Page {
  path: string;
  content_type: string;
  /** Hosts of the CAPTCHA provider whose widget the page shows (decisions/0007). */
  widget_hosts?: readonly string[];
  handle(request: { accept_language: string | null }): Promise<PageResponse> | PageResponse;
}

interface PageResponse {
  status: number;
  body: string;
  headers?: Readonly<Record<string, string>>;
}

const contentSecurityPolicy = (widgetHosts: readonly string[]): string => {
  const hosts = widgetHosts.map((host) => ` ${host}`).join('');
  return [
    "default-src 'none'",
    `style-src 'self' 'unsafe-inline'${hosts}`,
    `script-src 'self'${hosts}`,
    `connect-src 'self'${hosts}`,
    ...(hosts === '' ? [] : [`frame-src${hosts}`]),
    "worker-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
};

export function registerPages(app: FastifyInstance, pages: readonly Page[]): void {
  for (const page of pages)
    app.get(page.path, async (request, reply) => {
      const accept_language = request.headers['accept-language'] ?? null;
      const { status, body, headers } = await page.handle({ accept_language });
      return reply
        .status(status)
        .headers({
          'content-security-policy': contentSecurityPolicy(page.widget_hosts ?? []),
          'content-type': page.content_type,
          ...headers,
        })
        .send(body);
    });
}
