import { InvalidArgumentError } from 'commander';
import { isOnLoopback } from '../platform/http/own-host.ts';

/**
 * Reads the URL of a gateway as people type it: the scheme may be missing, and the path of `/mcp`
 * may be there. Returns its origin; throws for anything that is not an address.
 */
export function parseGatewayUrl(text: string): string {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const url = URL.parse(hasScheme ? text : `https://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || !/^\/(?:mcp\/?)?$/.test(url.pathname))
    throw new InvalidArgumentError('It must be an address such as http://localhost:7070.');
  if (!hasScheme && isOnLoopback(url.href)) return `http://${url.host}`;
  return url.origin;
}
