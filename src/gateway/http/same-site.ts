import { headerValues } from '../../platform/http/body.ts';
import { forbidden } from '../../platform/errors/refusal.ts';

/** Origins whose pages may send cookies: those of the base URL and of the dashboard. */
export type Origins = ReadonlySet<string>;

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Enforces the CSRF rule (identity.md 4): an unsafe request with a cookie must come from one of the
 * gateway's or dashboard's pages, which are on one site. A request without `Origin`, `Referer` and
 * `Sec-Fetch-Site` is not from a browser, so its cookie was sent deliberately. Throws 403.
 */
export function requireSameSite(
  request: { method: string; rawHeaders: readonly string[] },
  origins: Origins,
): void {
  if (SAFE_METHODS.has(request.method)) return;
  const header = (name: string) => headerValues(request.rawHeaders, name)[0];
  const hasSeveralOrigins = headerValues(request.rawHeaders, 'origin').length > 1;
  const origin = header('origin') ?? originOf(header('referer'));
  const site = header('sec-fetch-site');
  const isOwn =
    !hasSeveralOrigins && site !== 'cross-site' && (origin === undefined || origins.has(origin));
  if (isOwn && (site === undefined || site === 'same-origin' || origin !== undefined)) return;
  throw forbidden('cross_site_request', 'Cross-site requests are not allowed here.');
}

/**
 * Returns whether a browser came from anything but one of the gateway's or dashboard's pages: another
 * site, a bookmark, a mail. Clients that are no browsers do not send `Sec-Fetch-Site`.
 */
export function isFromElsewhere(rawHeaders: readonly string[], origins: Origins): boolean {
  const site = headerValues(rawHeaders, 'sec-fetch-site')[0];
  if (site === undefined || site === 'same-origin') return false;
  // A redirect keeps the referrer of the page that began, and both origins are on one site.
  if (site === 'cross-site') return true;
  const from = originOf(headerValues(rawHeaders, 'referer')[0]);
  return from === undefined || !origins.has(from);
}

const originOf = (referer: string | undefined) =>
  referer === undefined ? undefined : URL.canParse(referer) ? new URL(referer).origin : 'null';
