import type { CustomFetch } from 'openid-client';
import type { Outbound } from '../../../platform/outbound/outbound.ts';

/** Of one request; an authorization takes at most ten. */
export const REQUEST_MS = 5_000;
const MAX_BYTES = 131_072;

/** Adapts the SSRF-guarded HTTP client to the fetch interface of openid-client. */
export function createOAuthFetch(outbound: Pick<Outbound, 'fetch'>): CustomFetch {
  return async function fetchOAuth(url, { method, headers, body, signal }) {
    const response = await outbound.fetch({
      url,
      method,
      headers: { ...headers },
      ...(body == null ? {} : { body: asText(body) }),
      timeoutMs: REQUEST_MS,
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
