import { INVISIBLE } from '../../platform/text/invisible.ts';

// A backslash is a slash to browsers, and they skip tabs and line breaks inside an address.
const SUSPECT = new RegExp(`[${INVISIBLE}\\\\]`, 'u');

/** A path of the dashboard in its written form; whatever could lead elsewhere is its front page. */
export function readReturnPath(written: string | undefined, dashboardUrl: string): string {
  const path = written ?? '/';
  if (!path.startsWith('/') || path.startsWith('//') || SUSPECT.test(path)) return '/';
  const url = URL.parse(path, dashboardUrl);
  if (url === null || url.origin !== new URL(dashboardUrl).origin) return '/';
  const read = `${url.pathname}${url.search}${url.hash}`;
  // `/.//evil` has become `//evil`.
  return read.startsWith('//') ? '/' : read;
}
