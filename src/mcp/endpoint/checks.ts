import type { IncomingHttpHeaders } from 'node:http';
import { isOnLoopback } from '../../platform/http/own-host.ts';
import { forbidden, malformed, Refusal } from '../../platform/errors/refusal.ts';

/** Returns whether a page of the origin may call the endpoint. */
export type AllowsOrigin = (origin: string) => boolean;

/**
 * Creates the check of `Origin` (decisions/0041). Cookies do not open `/mcp`, so a page can only use
 * a credential that it was given; only servers on loopback need protection, from DNS rebinding.
 * `configured` replaces the default: origins, or `*` for any.
 */
export function createAllowsOrigin(
  publicUrl: string,
  configured: readonly string[] | null,
): AllowsOrigin {
  if (configured !== null) {
    const origins = new Set(configured);
    return (origin) => origins.has('*') || origins.has(origin);
  }
  if (!isOnLoopback(publicUrl)) return () => true;
  return (origin) =>
    URL.canParse(origin) && isOnLoopback(origin) && new URL(origin).origin === origin;
}

/** Refuses a repeated `Mcp-*` header: a proxy might read a different one. */
export function checkFraming(rawHeaders: readonly string[]): void {
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

/** Throws 403 if the request comes from a page of an origin that may not call. */
export function checkOrigin({ origin }: IncomingHttpHeaders, allows: AllowsOrigin): void {
  if (origin !== undefined && !allows(origin))
    throw forbidden(
      'origin_not_allowed',
      'Pages of this origin may not call the MCP endpoint. The operator can add it to MCP_ORIGINS.',
    );
}

export function checkNoBody(headers: IncomingHttpHeaders): void {
  const length = headers['content-length'];
  if (headers['transfer-encoding'] === undefined && (length === undefined || Number(length) === 0))
    return;
  throw malformed('unexpected_body', 'This method must not have a body.');
}

const EVENT_STREAM = 'text/event-stream';

/**
 * Requires POST to accept JSON and event streams: the call decides which of the two is sent. Without
 * the header, anything is accepted (RFC 9110, section 12.5.1).
 */
export function checkAccept(method: string, accept: string | undefined): void {
  if (method === 'DELETE' || accept === undefined) return;
  // The exact value that official clients send.
  if (accept === 'application/json, text/event-stream') return;
  const ranges = rangesOf(accept);
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
