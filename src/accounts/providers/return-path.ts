import type { Config } from '../../platform/config/config.ts';
import { INVISIBLE_CHARACTERS } from '../../platform/text/invisible.ts';

// Browsers treat a backslash as a slash, and ignore tabs and line breaks in URLs.
const SUSPICIOUS = new RegExp(`[${INVISIBLE_CHARACTERS}\\\\]`, 'u');

/** Pages of the gateway that a sign-in may return to; every other path is the dashboard's. */
const OWN_PAGES = '/oauth/consent/';

/** Whether a normalized return path is a page of the gateway. */
export const isOwnPage = (path: string): boolean => path.startsWith(OWN_PAGES);

/** Returns the URL of a normalized return path. */
export const returnUrl = (
  path: string,
  { PUBLIC_URL, DASHBOARD_URL }: Pick<Config, 'PUBLIC_URL' | 'DASHBOARD_URL'>,
): string => `${isOwnPage(path) ? PUBLIC_URL : DASHBOARD_URL}${path}`;

/** Returns the normalized return path, or `/` if it could lead to another origin. */
export function readReturnPath(requested: string | undefined, dashboardUrl: string): string {
  const path = requested ?? '/';
  if (!path.startsWith('/') || path.startsWith('//') || SUSPICIOUS.test(path)) return '/';
  const url = URL.parse(path, dashboardUrl);
  if (url === null || url.origin !== new URL(dashboardUrl).origin) return '/';
  const normalized = `${url.pathname}${url.search}${url.hash}`;
  // The URL parser turns `/.//evil` into `//evil`.
  return normalized.startsWith('//') ? '/' : normalized;
}
