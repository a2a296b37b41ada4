import type { Meaning } from './meaning.ts';

/** Errors of any request: its framing, body, credential, rate, and the state of the service. */
export const requestCodes = {
  ambiguous_credentials: {
    text: 'A request must carry exactly one credential: send either a session, an API key or an access token.',
    mcp: 'HTTP 401',
  },
  authentication_required: {
    text: 'The request must carry a credential: sign in, or send an API key or an OAuth access token where one is accepted.',
    mcp: 'HTTP 401',
  },
  bad_request: {
    text: 'The request must be valid HTTP with exactly one Host header: correct the client.',
    mcp: 'HTTP 400',
  },
  body_too_large: {
    text: 'The body must have at most 2 MiB: send less, or split it.',
    mcp: 'HTTP 413',
  },
  cross_site_request: {
    text: 'A browser may send cookies only from the origins of this deployment: call from its pages, or send a token.',
  },
  expectation_failed: { text: 'The Expect header is not supported: remove it.', mcp: 'HTTP 417' },
  headers_too_large: {
    text: 'The headers must have at most 16 KiB: send fewer or shorter ones.',
    mcp: 'HTTP 431',
  },
  host_not_allowed: {
    text: "On loopback, the Host header, or the host in the request's target, must name this server: use its public URL.",
    mcp: 'HTTP 421',
  },
  idempotency_mismatch: {
    text: 'The body must be the one that was first sent with this `Idempotency-Key`: send that body, or another key.',
  },
  idempotency_running: {
    text: 'The first request with this `Idempotency-Key` must have ended: repeat it in a few seconds.',
  },
  incomplete_body: {
    text: 'The body must arrive completely: send the request again.',
    mcp: 'HTTP 400',
  },
  insufficient_scope: {
    text: 'The access token must have the scope that the `WWW-Authenticate` header names: authorize the client again, with it.',
  },
  interactive_only: {
    text: 'This requires a signed-in session, not an API key: sign in with `POST /api/auth/login`.',
  },
  internal_error: {
    text: 'The service failed unexpectedly: try again later, and report the `X-Request-Id` if it fails again.',
    mcp: 'JSON-RPC error',
  },
  interrupted: {
    text: 'A job must end within 10 minutes, while its gateway runs: check what the message says was saved, then send the rest again.',
  },
  invalid_body: {
    text: 'The body must match its schema: correct each field that a `detail.pointer` identifies.',
  },
  invalid_credential: {
    text: 'The credential must exist and be neither revoked nor expired: sign in again, authorize the client again, or create another key.',
    mcp: 'HTTP 401',
  },
  invalid_cursor: {
    text: 'A cursor must come from the same list: start again without `cursor`.',
    mcp: 'JSON-RPC error',
  },
  invalid_idempotency_key: {
    text: 'The `Idempotency-Key` must be sent once, with 1 to 64 visible ASCII characters: correct it.',
  },
  invalid_json: {
    text: 'The text must be valid JSON in UTF-8: correct it.',
    mcp: 'tool error',
  },
  invalid_query: {
    text: 'The query must have the documented form: correct the parameter that the message describes.',
    mcp: 'tool error',
  },
  method_not_allowed: {
    text: 'The path must support the method: use one of those in the Allow header.',
    mcp: 'HTTP 405',
  },
  not_found: {
    text: 'The path must name something that exists and that you may see: check the id, or list what is available.',
    mcp: ['HTTP 404', 'tool error'],
  },
  organization_suspended: {
    text: 'The organization must be active: ask the operator of this deployment.',
    mcp: 'HTTP 403',
  },
  permission_denied: {
    text: 'The credential must have the permission in `detail.permission`: use another one, or ask for it.',
    mcp: 'tool error',
  },
  rate_limited: {
    text: 'There were too many attempts: wait for the seconds given in Retry-After or the details, then try again.',
    mcp: ['JSON-RPC error', 'tool error'],
  },
  request_timeout: {
    text: 'Headers and body must arrive in time: send the request again.',
    mcp: 'HTTP 408',
  },
  service_unavailable: {
    text: 'A server that this service needs is unavailable: wait for the seconds in Retry-After, if it is set, then try again.',
    mcp: 'HTTP 503',
  },
  unsupported_media_type: {
    text: 'The body must be JSON: send `Content-Type: application/json`, without Content-Encoding.',
    mcp: 'HTTP 415',
  },
} as const satisfies Record<string, Meaning>;
