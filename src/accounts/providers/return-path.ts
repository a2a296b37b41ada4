import { INVISIBLE_CHARACTERS } from '../../platform/text/invisible.ts';

// Browsers treat a backslash as a slash, and ignore tabs and line breaks in URLs.
const SUSPICIOUS = new RegExp(`[${INVISIBLE_CHARACTERS}\\\\]`, 'u');

/** Returns the normalized path on the dashboard, or `/` if it could lead to another origin. */
export function readReturnPath(requested: string | undefined, dashboardUrl: string): string {
  const path = requested ?? '/';
  if (!path.startsWith('/') || path.startsWith('//') || SUSPICIOUS.test(path)) return '/';
  const url = URL.parse(path, dashboardUrl);
  if (url === null || url.origin !== new URL(dashboardUrl).origin) return '/';
  const normalized = `${url.pathname}${url.search}${url.hash}`;
  // The URL parser turns `/.//evil` into `//evil`.
  return normalized.startsWith('//') ? '/' : normalized;
}
