import type { IncomingMessage } from 'node:http';
import { isInteractive, refusesKeys } from '../../caller/access.ts';
import type { Access } from '../../caller/access.ts';
import { headerValues } from '../../platform/http/body.ts';
import { forbidden, invalidCredential, unauthenticated } from '../../platform/errors/refusal.ts';

/** The credential that a request carries; `authenticate.ts` resolves it to a principal. */
export type Credential =
  | { kind: 'none' }
  | { kind: 'api_key'; secret: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'cookie'; token: string };

export interface RequestCredentials {
  method: string;
  rawHeaders: readonly string[];
  /** Value of the session cookie, if one was sent. */
  cookie: string | undefined;
  /** Returns the client's address, seen through trusted proxies. */
  address(): string;
}

const BEARER = /^bearer ([\x21-\x7e]{1,8192})$/i;

/** Returns the 401 for several credentials; `sent` says which. */
const ambiguous = (sent: string) =>
  unauthenticated(
    'ambiguous_credentials',
    `Send exactly one credential: this request has ${sent}.`,
  );
const KEY_AND_COOKIE = 'both an X-API-Key header and a session cookie';
/** Each message names only credentials that the endpoint accepts. */
const instructions = {
  session: 'Sign in first: this requires a signed-in session.',
  agent:
    'Send an API key in an X-API-Key header, or an OAuth access token in an Authorization header: `Bearer …`.',
  scim: 'Send a SCIM token in an Authorization header: `Bearer scim_…`.',
  either:
    'Sign in, or send an API key in an X-API-Key header or an OAuth access token in an Authorization header: `Bearer …`.',
} as const;
export const credentialRequired = (accepted: keyof typeof instructions) =>
  unauthenticated('authentication_required', instructions[accepted]);
/** Returns the 401 for an API key sent as a bearer token, which is not looked up. */
export const keyAsBearer = () =>
  unauthenticated(
    'invalid_credential',
    'Send an API key in an X-API-Key header, not as a bearer token.',
  );
export const interactiveOnly = () =>
  forbidden(
    'interactive_only',
    'This requires a signed-in session: sign in with `POST /api/auth/login`.',
  );
/** Returns the 403 for an API key where none is accepted. */
export const keyRefused = (access: Access) =>
  isInteractive(access)
    ? interactiveOnly()
    : forbidden(
        'interactive_only',
        'An API key cannot do this: sign in, or send an access token with the scope.',
      );

/**
 * Reads the credential from the headers only. Errors are thrown in this order (decisions 2): 403
 * for an `X-API-Key` where none is accepted, 401 for two credentials, 401 for an API key
 * sent as a bearer token.
 */
export function readCredential(
  rawHeaders: readonly string[],
  cookie: string | undefined,
  access: Access,
): Credential {
  const keys = headerValues(rawHeaders, 'x-api-key');
  const authorizations = headerValues(rawHeaders, 'authorization');
  if (refusesKeys(access) && keys.length > 0) throw keyRefused(access);
  if (keys.length > 1) throw ambiguous('several X-API-Key headers');
  if (authorizations.length > 1) throw ambiguous('several Authorization headers');
  if (keys.length === 1 && authorizations.length === 1)
    throw ambiguous('both an X-API-Key and an Authorization header');
  if (keys.length === 1 && cookie !== undefined) throw ambiguous(KEY_AND_COOKIE);
  if (keys.length === 1) return { kind: 'api_key', secret: keys[0]! };
  if (authorizations.length === 1) {
    const token = BEARER.exec(authorizations[0]!)?.[1];
    if (token === undefined) throw invalidCredential();
    return { kind: 'bearer', token };
  }
  // A browser attaches cookies by itself, so a JWT takes precedence over a cookie.
  return cookie === undefined ? { kind: 'none' } : { kind: 'cookie', token: cookie };
}

/** Reads the credentials of a request to `/mcp`, for which no cookies are parsed. */
export function credentialsOf(
  request: IncomingMessage,
  cookieName: string,
  address: () => string,
): RequestCredentials {
  const pair = request.headers.cookie
    ?.split(/; */)
    .find((part) => part.startsWith(`${cookieName}=`));
  return {
    method: request.method ?? 'GET',
    rawHeaders: request.rawHeaders,
    cookie: pair?.slice(cookieName.length + 1),
    address,
  };
}

/** Throws 401 for an API key sent with a cookie; on refresh and sign-in, both are credentials. */
export function refuseKeyWithCookie({ rawHeaders }: { rawHeaders: readonly string[] }): void {
  const has = (name: string) => headerValues(rawHeaders, name).length > 0;
  if (has('x-api-key') && has('cookie')) throw ambiguous(KEY_AND_COOKIE);
}
