import { hash } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { invalidCredential } from '../../platform/errors/refusal.ts';

/** The type of OAuth access tokens (RFC 9068), in the header of the JWT. */
const TYPE = 'at+jwt';

const Claims = z.object({
  iss: z.string(),
  /** The one audience; a list is refused, even if it contains it. */
  aud: z.string(),
  sub: z.guid(),
  client_id: z.guid(),
  /** The id of the connection. */
  cid: z.guid(),
  scope: z.string(),
  iat: z.int(),
  exp: z.int().positive(),
  jti: z.string().min(1),
});
export type TokenClaims = z.infer<typeof Claims>;

export interface TokenVerifierDependencies {
  /** Issuer; the audience is its MCP endpoint. */
  publicUrl: string;
  /** Returns the public key of a `kid`; null if no token with it is accepted. */
  keyFor(kid: string): Promise<KeyObject | null>;
}

interface Verified {
  claims: TokenClaims;
  kid: string;
  key: KeyObject;
}

const MAX_TOKENS = 10_000;

/**
 * Creates the function that returns the claims of an access token, and throws 401 unless this
 * service signed it. Expiry is compared with database time, where the connection is read. Remembers
 * verified signatures, but not whether their key is still accepted.
 */
export function createTokenVerifier({ publicUrl, keyFor }: TokenVerifierDependencies) {
  const verified = new LRUCache<string, Verified>({ max: MAX_TOKENS });
  const required = {
    algorithms: ['RS256'],
    typ: TYPE,
    issuer: publicUrl,
    audience: `${publicUrl}/mcp`,
    requiredClaims: ['iss', 'aud', 'sub', 'client_id', 'cid', 'scope', 'iat', 'exp', 'jti'],
    currentDate: new Date(0),
  };

  async function verify(token: string): Promise<Verified> {
    const kid = headerOf(token)?.['kid'];
    const key = typeof kid === 'string' ? await keyFor(kid) : null;
    const found = key && (await jwtVerify(token, key, required).catch(() => null));
    const claims = Claims.safeParse(found?.payload);
    if (key === null || !claims.success)
      throw invalidCredential('not an access token of this service');
    return { claims: claims.data, kid: kid as string, key };
  }

  async function requireAccepted({ kid, key }: Verified): Promise<void> {
    const current = await keyFor(kid);
    // When the keys are read again, the same key may be another object.
    if (current !== key && current?.equals(key) !== true)
      throw invalidCredential('signed with a key that was withdrawn');
  }

  return async function verifyToken(token: string): Promise<TokenClaims> {
    const digest = hash('sha256', token, 'base64');
    let known = verified.get(digest);
    if (known === undefined) verified.set(digest, (known = await verify(token)));
    else await requireAccepted(known);
    return known.claims;
  };
}

/** Returns whether a bearer token is an OAuth access token, which may be invalid. */
export const isAccessToken = (token: string): boolean => headerOf(token)?.['typ'] === TYPE;

/** Reads the header of a JWT without verifying it; null if it has none. */
function headerOf(token: string): Readonly<Record<string, unknown>> | null {
  const header = token.slice(0, Math.max(0, token.indexOf('.')));
  try {
    const found: unknown = JSON.parse(Buffer.from(header, 'base64url').toString());
    return typeof found === 'object' ? (found as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
