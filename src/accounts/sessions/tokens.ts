import { createHmac } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { isUuid } from '../../platform/ids.ts';

export const accessSeconds = 900;
const TYPE = 'dash+jwt';

/** What a session's access token says; whether the session still lives is the database's to say. */
export interface AccessClaims {
  account_id: string;
  session_id: string;
  /** Seconds of the epoch; compared with database time. */
  expires: number;
}

export interface AccessTokens {
  /** `issued` is database time, in seconds of the epoch. */
  sign(session: { id: string; account_id: string }, issued: number): Promise<string>;
  /** Null for whatever this service did not sign for this use. */
  read(token: string): Promise<AccessClaims | null>;
}

export function createAccessTokens(key: Uint8Array, publicUrl: string): AccessTokens {
  const audience = `${publicUrl}/api`;
  return {
    sign: (session, issued) =>
      new SignJWT({ sid: session.id })
        .setProtectedHeader({ alg: 'HS256', typ: TYPE })
        .setIssuer(publicUrl)
        .setAudience(audience)
        .setSubject(session.account_id)
        .setIssuedAt(issued)
        .setExpirationTime(issued + accessSeconds)
        .sign(key),
    async read(token) {
      const verified = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        typ: TYPE,
        issuer: publicUrl,
        audience,
        requiredClaims: ['sub', 'sid', 'iat', 'exp'],
        // Expiry is compared with database time, in the query that reads the session.
        currentDate: new Date(0),
      }).catch(() => null);
      if (verified === null) return null;
      const { sub, sid, exp } = verified.payload;
      if (typeof sid !== 'string' || !isUuid(sid) || !isUuid(sub!)) return null;
      return { account_id: sub!, session_id: sid, expires: exp! };
    },
  };
}

/**
 * The refresh token that follows another: the same for everybody who holds the predecessor, so
 * that only hashes are stored and a lost reply can be given again.
 */
export const successorOf = (key: Uint8Array, secret: string): string =>
  createHmac('sha256', key).update(secret).digest('base64url');

export interface RefreshToken {
  session_id: string;
  secret: string;
}

export const writeRefreshToken = ({ session_id, secret }: RefreshToken): string =>
  `${session_id}.${secret}`;

export function readRefreshToken(token: string | undefined): RefreshToken | null {
  const [session_id = '', secret = '', ...rest] = (token ?? '').split('.');
  if (!isUuid(session_id) || !/^[A-Za-z0-9_-]{43}$/.test(secret) || rest.length > 0) return null;
  return { session_id: session_id.toLowerCase(), secret };
}
