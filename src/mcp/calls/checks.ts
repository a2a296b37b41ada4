import type { IncomingHttpHeaders } from 'node:http';
import { headerValues } from '../../platform/http/body.ts';
import { forbidden, malformed, Refusal } from '../../platform/errors/refusal.ts';

const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/** Configuration of the `Origin` and `Host` checks. */
export interface Origins {
  allowed: ReadonlySet<string>;
  /** The public URL is on loopback, so `Host` must be too, to prevent DNS rebinding. */
  isLoopback: boolean;
}

export function createOrigins(publicUrl: string, dashboardUrl: string): Origins {
  return {
    allowed: new Set([new URL(publicUrl).origin, new URL(dashboardUrl).origin]),
    isLoopback: LOOPBACK_HOST.test(new URL(publicUrl).host),
  };
}

/** Requires one `Host` and no repeated `Mcp-*` header: a proxy might read a different one. */
export function checkFraming(rawHeaders: readonly string[]): void {
  if (headerValues(rawHeaders, 'host').length !== 1)
    throw malformed('invalid_host', 'Send exactly one Host header.');
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index]!;
    if ((header.charCodeAt(0) | 0x20) !== 0x6d) continue;
    const name = header.toLowerCase();
    if (!name.startsWith('mcp-')) continue;
    if (seen.has(name)) throw malformed('repeated_header', `Send ${header} only once.`);
    seen.add(name);
  }
}

export function checkOrigin(headers: IncomingHttpHeaders, origins: Origins): void {
  if (headers.origin !== undefined && !origins.allowed.has(headers.origin))
    throw forbidden('origin_not_allowed', 'This origin is not allowed to call the MCP endpoint.');
  if (origins.isLoopback && !LOOPBACK_HOST.test(headers.host ?? ''))
    throw forbidden('host_not_allowed', 'This host name is not allowed.');
}

export function checkNoBody(headers: IncomingHttpHeaders): void {
  const length = headers['content-length'];
  if (headers['transfer-encoding'] === undefined && (length === undefined || Number(length) === 0))
    return;
  throw malformed('unexpected_body', 'This method must not have a body.');
}

const EVENT_STREAM = 'text/event-stream';

/** Requires POST to accept JSON and event streams: the call decides which of the two is sent. */
export function checkAccept(method: string, accept: string | undefined): void {
  if (method === 'DELETE') return;
  // The exact value that official clients send.
  if (accept === 'application/json, text/event-stream') return;
  const ranges = rangesOf(accept ?? '');
  if (accepts(ranges, EVENT_STREAM) && (method === 'GET' || accepts(ranges, 'application/json')))
    return;
  const required = method === 'GET' ? EVENT_STREAM : `application/json and ${EVENT_STREAM}`;
  throw new Refusal('unsupported_type', 'not_acceptable', `Accept must include ${required}.`);
}

function rangesOf(accept: string): string[] {
  return accept
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim().toLowerCase()))
    .filter(([, ...rest]) => !rest.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)))
    .map(([range]) => range ?? '');
}

const accepts = (ranges: readonly string[], type: string) =>
  ranges.some((range) => range === type || range === '*/*' || range === `${type.split('/')[0]}/*`);
