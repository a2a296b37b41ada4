import type { FastifyInstance } from 'fastify';

/** A small page or script of ours; the dashboard comes as files. */
export interface Page {
  path: string;
  content_type: string;
  handle(): Promise<{ status: number; body: string }> | { status: number; body: string };
}

const CSP = [
  "default-src 'none'",
  "style-src 'self' 'unsafe-inline'",
  "script-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function registerPages(app: FastifyInstance, pages: readonly Page[]): void {
  for (const page of pages)
    app.get(page.path, async (_request, reply) => {
      const { status, body } = await page.handle();
      return reply
        .status(status)
        .headers({
          'content-security-policy': CSP,
          'referrer-policy': 'no-referrer',
          'x-frame-options': 'DENY',
          'content-type': page.content_type,
        })
        .send(body);
    });
}
