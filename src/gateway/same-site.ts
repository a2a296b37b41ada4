import { headerValues } from '../platform/http/body.ts';
import { forbidden } from '../platform/errors/refusal.ts';

/** Origins whose pages may act with a cookie: base and dashboard. */
export type Origins = ReadonlySet<string>;

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The CSRF rule (identity.md 4): an unsafe request that carries a cookie comes from one of our
 * pages, which are of one site (`DASHBOARD_URL` has to be). With none of the three headers it is no
 * browser, and no cookie came unasked.
 */
export function requireSameSite(
  request: { method: string; rawHeaders: readonly string[] },
  origins: Origins,
): void {
  if (SAFE.has(request.method)) return;
  const header = (name: string) => headerValues(request.rawHeaders, name)[0];
  const several = headerValues(request.rawHeaders, 'origin').length > 1;
  const origin = header('origin') ?? originOf(header('referer'));
  const site = header('sec-fetch-site');
  const own = !several && site !== 'cross-site' && (origin === undefined || origins.has(origin));
  if (own && (site === undefined || site === 'same-origin' || origin !== undefined)) return;
  throw forbidden('cross_site_request', 'This request came from another site and was refused.');
}

const originOf = (referer: string | undefined) =>
  referer === undefined ? undefined : URL.canParse(referer) ? new URL(referer).origin : 'null';
