import type { IncomingMessage } from 'node:http';
import { malformed, Refusal } from '../errors/refusal.ts';
import { headerValues } from './body.ts';

const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?$/i;

export type RequireOwnHost = (request: Pick<IncomingMessage, 'rawHeaders' | 'socket'>) => void;

/** Returns whether a URL's host is `localhost` or a loopback address; throws if it is not a URL. */
export const isOnLoopback = (url: string): boolean => LOOPBACK_HOST.test(new URL(url).host);

/**
 * Creates the check of the `Host` header. A request must have exactly one. While the public URL is
 * on loopback, it must name this server: a web page can have its own name resolve to loopback (DNS
 * rebinding), and would otherwise read what the server shows to local clients.
 */
export function createRequireOwnHost(publicUrl: string): RequireOwnHost {
  const { port, protocol } = new URL(publicUrl);
  const publicPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  const isLoopback = isOnLoopback(publicUrl);
  return function requireOwnHost({ rawHeaders, socket }) {
    const [host, ...more] = headerValues(rawHeaders, 'host');
    if (host === undefined || more.length > 0)
      throw malformed('bad_request', 'Send exactly one Host header.');
    if (!isLoopback) return;
    const match = LOOPBACK_HOST.exec(host);
    // Gateways that share a public URL may listen on other ports; without a port, none is wrong.
    const isOwnPort =
      match?.[1] === undefined || match[1] === publicPort || match[1] === String(socket.localPort);
    if (match === null || !isOwnPort)
      throw new Refusal(
        'misdirected',
        'host_not_allowed',
        `The Host header, or the host in the request's target, must name this server. Use ${publicUrl}.`,
      );
  };
}
