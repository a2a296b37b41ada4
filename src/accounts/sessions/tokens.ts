import { createHmac } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { isUuid } from '../../platform/ids.ts';
import { equalSecrets } from '../../platform/secrets.ts';

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

/** The refresh token of one session after so many renewals. */
export interface RefreshToken {
  session_id: string;
  rotation: number;
}

export interface RefreshTokens {
  write(token: RefreshToken): string;
  /** Null for whatever this service did not write; whether it is the current one, the row says. */
  read(text: string | undefined): RefreshToken | null;
}

/**
 * Numbered and signed (docs/decisions/0015): the row keeps the number of the current one, which
 * tells every ancestor, and whoever sends one again gets the same successor.
 */
export function createRefreshTokens(key: Uint8Array): RefreshTokens {
  function write({ session_id, rotation }: RefreshToken): string {
    const text = `${session_id}.${rotation}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  }
  return {
    write,
    read(text = '') {
      const [session_id = '', digits = ''] = text.split('.');
      if (!isUuid(session_id) || !/^\d{1,15}$/.test(digits)) return null;
      const token = { session_id, rotation: Number(digits) };
      return equalSecrets(Buffer.from(text), Buffer.from(write(token))) ? token : null;
    },
  };
}
