import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { absent, isRefusal, Refusal } from '../../platform/errors/refusal.ts';
import { homePage } from './home-page.ts';
import { pagePolicy } from './page-policy.ts';

/** The built pages; `npm start` and `npm run build` make them. */
const FOLDER = fileURLToPath(new URL('../../../dist/dashboard', import.meta.url));

/** Addresses of the dashboard. Others that it could have belong to pages that e-mails link to. */
const PAGES = ['/', '/first-run', '/sign-in', '/sign-up', '/forgot', '/app', '/app/*'];

/** Files at the root of the folder; the others have a hash of their content in their names. */
const ROOT_FILES = ['/mark.svg', '/color-scheme.js'];

const FOREVER = 'public, max-age=31536000, immutable';
const AN_HOUR = 'public, max-age=3600';

/** Returns whether the pages were built. */
export const isDashboardBuilt = (folder = FOLDER): boolean =>
  existsSync(join(folder, 'index.html'));

/**
 * Serves the dashboard's files, and its page at every address that it has. `widgetHosts` are those
 * of the CAPTCHA provider, whose widget is the only foreign script.
 */
export async function registerDashboard(
  app: FastifyInstance,
  publicUrl: string,
  widgetHosts: readonly string[],
  folder = FOLDER,
): Promise<void> {
  const policy = pagePolicy(widgetHosts);
  if (!isDashboardBuilt(folder)) {
    app.get('/', (_request, reply) => sendHtml(reply, homePage(publicUrl), policy));
    return;
  }
  const index = readFileSync(join(folder, 'index.html'), 'utf8');
  const assets = join(folder, 'assets');
  app.setErrorHandler((error) => {
    throw fileRefusal(error);
  });
  await app.register(fastifyStatic, {
    root: assets,
    prefix: '/assets/',
    index: false,
    preCompressed: true,
    cacheControl: false,
    acceptRanges: false,
    // Called for `sendFile` too.
    setHeaders: (reply, path) =>
      void reply.header('cache-control', path.startsWith(join(assets, '/')) ? FOREVER : AN_HOUR),
  });
  for (const url of ROOT_FILES)
    app.get(url, (_request, reply) => reply.sendFile(url.slice(1), folder));
  const showPage = (request: FastifyRequest, reply: FastifyReply) => {
    // MCP clients parse whatever an address returns: only a browser gets a page.
    if (!acceptsHtml(request.headers.accept)) return reply.callNotFound();
    return sendHtml(reply, index, policy);
  };
  for (const url of PAGES) app.get(url, showPage);
}

/** Returns what an error of the file server means: nearly always, that the path names no file. */
function fileRefusal(error: unknown): unknown {
  const { statusCode = 500 } = Object(error) as Partial<FastifyError>;
  if (isRefusal(error) || statusCode >= 500) return error;
  if (statusCode === 412)
    return new Refusal('stale', 'version_mismatch', 'The file has been changed since it was read.');
  return absent('no such file');
}

const acceptsHtml = (accept: string | undefined): boolean =>
  accept !== undefined && /\btext\/html\b/i.test(accept);

const sendHtml = (reply: FastifyReply, body: string, policy: string) =>
  reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-cache',
      vary: 'accept',
    })
    .send(body);
