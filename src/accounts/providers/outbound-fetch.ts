import type { CustomFetch } from 'openid-client';
import type { Outbound } from '../../platform/outbound/outbound.ts';

export const PROVIDER_TIMEOUT_MS = 5_000;
const MAX_BYTES = 262_144;

/** Adapts the guarded outbound client to the fetch interface of openid-client. */
export function fetchThrough(outbound: Pick<Outbound, 'fetch'>): CustomFetch {
  return async function fetchOut(url, { method, headers, body, signal }) {
    const response = await outbound.fetch({
      url,
      method,
      headers: { ...headers },
      ...(body == null ? {} : { body: asText(body) }),
      timeoutMs: PROVIDER_TIMEOUT_MS,
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
  throw new TypeError('openid-client is expected to send forms only');
}
