import type { CustomFetch } from 'openid-client';
import type { Outbound } from './outbound.ts';

/** Time limit of one request to an identity provider or an authorization server. */
export const OPENID_REQUEST_MS = 5_000;
const MAX_BYTES = 262_144;

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
    const isEmpty = response.body.length === 0;
    return new Response(isEmpty ? null : Buffer.from(response.body), {
      status: response.status,
      headers: response.headers,
    });
  };
}

function asText(body: unknown): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('openid-client is expected to send texts and forms only');
}
