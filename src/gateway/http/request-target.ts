import type { IncomingMessage } from 'node:http';

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is;

/**
 * Rewrites a request whose target is a whole URL, as one sent to a proxy is, to the usual form. Its
 * host replaces the value of `Host` (RFC 9112, section 3.2.2), so that whatever reads `Host` checks
 * the host that the client meant.
 */
export function useHostOfTarget(
  request: Pick<IncomingMessage, 'url' | 'headers' | 'rawHeaders'>,
): void {
  const { url = '', rawHeaders } = request;
  if (url.startsWith('/')) return;
  const [, authority, path] = ABSOLUTE_FORM.exec(url) ?? [];
  if (authority === undefined || path === undefined) return;
  request.headers.host = authority;
  request.url = path.startsWith('/') ? path : `/${path}`;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.toLowerCase() === 'host') rawHeaders[index + 1] = authority;
}
