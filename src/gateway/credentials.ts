import type { IncomingMessage } from 'node:http';
import { isInteractive } from '../caller/access.ts';
import type { Access } from '../caller/access.ts';
import { headerValues } from '../platform/http/body.ts';
import { forbidden, unauthenticated } from '../platform/errors/refusal.ts';

/** Which credential a request carries; whom it stands for is `authenticate.ts`'s to say. */
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
}

const BEARER = /^bearer ([\x21-\x7e]{1,8192})$/i;

const ambiguous = () => unauthenticated('ambiguous_credentials', 'Send exactly one credential.');
/** Each door names what it takes, and nothing it would refuse. */
const wanted = {
  session: 'Sign in first: only a signed-in session may do this.',
  key: 'Send an API key in an X-API-Key header.',
  either: 'Sign in, or send an API key in an X-API-Key header.',
} as const;
export const missing = (what: keyof typeof wanted) =>
  unauthenticated('authentication_required', wanted[what]);
/** Bad, revoked and unknown look alike, byte for byte. */
export const invalid = () => unauthenticated('invalid_credential', 'The credential is not valid.');
export const interactiveOnly = () =>
  forbidden(
    'interactive_only',
    'This needs a signed-in session: sign in with `POST /api/auth/login`.',
  );

/**
 * Looks at headers alone. Order of `decisions.md` 2: an `X-API-Key` on an interactive-only
 * endpoint is 403 before anything else, two credentials 401, a key as Bearer 401.
 */
export function readCredential(
  rawHeaders: readonly string[],
  cookie: string | undefined,
  access: Access,
): Credential {
  const keys = headerValues(rawHeaders, 'x-api-key');
  const authorizations = headerValues(rawHeaders, 'authorization');
  if (isInteractive(access) && keys.length > 0) throw interactiveOnly();
  if (keys.length > 1 || authorizations.length > 1) throw ambiguous();
  if (keys.length === 1 && (authorizations.length === 1 || cookie !== undefined)) throw ambiguous();
  if (keys.length === 1) return { kind: 'api_key', secret: keys[0]! };
  if (authorizations.length === 1) {
    const token = BEARER.exec(authorizations[0]!)?.[1];
    if (token === undefined || token.startsWith('sk_')) throw invalid();
    return { kind: 'bearer', token };
  }
  // A browser attaches cookies unasked, so a JWT beside one counts and no cookie is looked at.
  return cookie === undefined ? { kind: 'none' } : { kind: 'cookie', token: cookie };
}

/** What a raw request brings to say who it is; `/mcp` is answered before Fastify's parsers. */
export function credentialsOf(request: IncomingMessage, cookieName: string): RequestCredentials {
  const pair = request.headers.cookie
    ?.split(/; */)
    .find((part) => part.startsWith(`${cookieName}=`));
  return {
    method: request.method ?? 'GET',
    rawHeaders: request.rawHeaders,
    cookie: pair?.slice(cookieName.length + 1),
  };
}

/** Refresh and sign-in live on cookies; a key beside them is a second credential. */
export function refuseKeyBesideCookie({ rawHeaders }: { rawHeaders: readonly string[] }): void {
  const has = (name: string) => headerValues(rawHeaders, name).length > 0;
  if (has('x-api-key') && has('cookie')) throw ambiguous();
}
