import type { ReceivedHeaders } from './exchange.ts';
import { OutboundError } from './outbound-error.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface ResponseHead {
  status: number;
  /** Lower-case names; repeated fields joined by a comma, `set-cookie` left out. */
  headers: Record<string, string>;
  url: string;
}

/** Throws `OutboundError` for a redirect, which is never followed. */
export function readHead(url: URL, status: number, received: ReceivedHeaders): ResponseHead {
  const headers = readHeaders(received);
  const location = headers['location'];
  if (REDIRECTS.has(status) && location !== undefined)
    throw new OutboundError('redirect_refused', 'The server responded with a redirect.', {
      status,
      location: URL.parse(location, url.href)?.href ?? location,
    });
  return { status, headers, url: url.href };
}

/** Throws `OutboundError` if the body is compressed. */
export function requireIdentity(request: Requested, head: ResponseHead): void {
  const encoding = head.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && !isEmpty(request, head))
    throw new OutboundError(
      'invalid_response',
      'The response is compressed although that was not requested.',
    );
}

interface Requested {
  method?: string;
}

/** Whether a response has no body, whatever its headers say. */
export const isEmpty = ({ method }: Requested, { status }: ResponseHead) =>
  method?.toUpperCase() === 'HEAD' || status === 204 || status === 304;

function readHeaders(received: ReceivedHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in received) {
    const value = received[name];
    if (value === undefined || name === 'set-cookie') continue;
    headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return headers;
}
