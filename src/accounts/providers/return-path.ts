import { INVISIBLE } from '../../platform/text/invisible.ts';

// Browsers treat a backslash as a slash, and ignore tabs and line breaks in URLs.
const SUSPECT = new RegExp(`[${INVISIBLE}\\\\]`, 'u');

/** Returns the normalized path on the dashboard, or `/` if it could lead to another origin. */
export function readReturnPath(written: string | undefined, dashboardUrl: string): string {
  const path = written ?? '/';
  if (!path.startsWith('/') || path.startsWith('//') || SUSPECT.test(path)) return '/';
  const url = URL.parse(path, dashboardUrl);
  if (url === null || url.origin !== new URL(dashboardUrl).origin) return '/';
  const read = `${url.pathname}${url.search}${url.hash}`;
  // The URL parser turns `/.//evil` into `//evil`.
  return read.startsWith('//') ? '/' : read;
}
