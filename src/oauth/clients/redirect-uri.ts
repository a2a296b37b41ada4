import { isOnLoopback } from '../../platform/http/own-host.ts';
import { knownSchemes } from '../../snippets/oauth-clients.ts';

/** Hosts on which a client of the same machine listens; any port of them matches (RFC 8252). */
/** A loopback host, with a port or without: an application may listen on any. */
const LOOPBACK_HOST = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::[1-9]\d{0,4})?(?=[/?]|$)/;

/** Whether a host is written as an address; `URL` writes all IPv4 forms as four numbers. */
const ADDRESS = /^(?:\[|\d+\.\d+\.\d+\.\d+\.?$)/;

/**
 * Returns why a client must not be sent to this address after authorization; null if it may be. The
 * text is a URI already.
 */
export function redirectUriFault(text: string): string | null {
  const url = new URL(text);
  if (text.includes('#')) return 'must not have a fragment';
  if (text.includes('*')) return 'must not contain a wildcard: register each address';
  if (url.username !== '' || url.password !== '' || /^[^/?]*\/\/[^/?]*@/.test(text))
    return 'must not contain a user name or a password';
  if (!isNormal(text, url)) return `must be written in its normal form: ${url.href}`;
  return schemeFault(url);
}

/** Other forms of one address would compare as different ones, or hide where it leads. */
const isNormal = (text: string, { href, pathname, search }: URL): boolean =>
  text === href || (pathname === '/' && search === '' && `${text}/` === href);

/**
 * Returns whether a client registered an address: it must be equal to a registered one, or differ
 * from it only in the port of a loopback host (rel:B5-2).
 */
export function isRegisteredUri(registered: readonly string[], text: string): boolean {
  if (registered.includes(text)) return true;
  const uri = withoutPort(text);
  return uri !== null && registered.some((one) => withoutPort(one) === uri);
}

const withoutPort = (text: string): string | null =>
  LOOPBACK_HOST.test(text) && URL.canParse(text) ? text.replace(LOOPBACK_HOST, '$1') : null;

function schemeFault({ href, protocol, hostname }: URL): string | null {
  const isLoopback = isOnLoopback(href);
  if (protocol === 'http:')
    return isLoopback
      ? null
      : 'must use https; http is allowed on `localhost`, `127.0.0.1` and `[::1]` alone';
  if (protocol === 'https:') {
    if (isLoopback) return 'must use http on a loopback host, where no certificate is valid';
    if (hostname === '') return 'must name a host';
    return ADDRESS.test(hostname) ? 'must name a host, not an IP address' : null;
  }
  const scheme = protocol.slice(0, -1);
  return scheme.includes('.') || knownSchemes.has(scheme)
    ? null
    : 'must have a scheme that names a domain in reverse, such as `com.example.app`';
}
