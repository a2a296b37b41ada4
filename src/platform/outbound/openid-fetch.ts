import type { CustomFetch } from 'openid-client';
import { StructureScan } from '../json/structure.ts';
import { OutboundError } from './outbound-error.ts';
import type { Outbound, OutboundResponse } from './outbound.ts';

/** Time limit of one request to an identity provider or an authorization server. */
export const OPENID_REQUEST_MS = 5_000;
const MAX_BYTES = 262_144;
const LIMITS = { levels: 32, marks: 100_000, shapes: 10_000 };

/** Adapts the SSRF-guarded HTTP client to the fetch interface of openid-client. */
export function createOpenIdFetch(outbound: Pick<Outbound, 'fetch'>): CustomFetch {
  return async function fetchOut(url, { method, headers, body, signal }) {
    const response = await outbound.fetch({
      url,
      method,
      headers: { ...headers },
      ...(body == null ? {} : { body: asText(body) }),
      timeoutMs: OPENID_REQUEST_MS,
      maxBytes: MAX_BYTES,
      ...(signal ? { signal } : {}),
    });
    return asResponse(response);
  };
}

/**
 * Throws `OutboundError` for what a `Response` cannot have, such as the status 600, and for JSON that
 * the library could not copy.
 */
function asResponse({ status, headers, body }: OutboundResponse): Response {
  try {
    if (headers['content-type']?.includes('json') === true) requireShallow(body);
    return new Response(body.length === 0 ? null : Buffer.from(body), { status, headers });
  } catch (error) {
    throw new OutboundError('invalid_response', 'The response is not valid HTTP.', {}, error);
  }
}

function requireShallow(json: Uint8Array): void {
  const scan = new StructureScan(LIMITS);
  scan.readJson(json);
  if (scan.fault !== null) throw new Error(`JSON beyond the limit of ${scan.fault}`);
}

function asText(body: unknown): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('openid-client is expected to send texts and forms only');
}
