import { createHmac } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { JWTPayload } from 'jose';
import { isUuid } from '../../platform/ids.ts';
import { equalSecrets } from '../../platform/secrets.ts';
import type { Subkeys } from '../../platform/secrets.ts';

export const accessSeconds = 900;
const TYPE = 'dash+jwt';

/** Claims of an access token; the database decides whether the session is still live. */
export interface AccessClaims {
  account_id: string;
  session_id: string;
  /** Unix seconds; compared with database time. */
  expires: number;
}

export function createAccessTokens(keys: Subkeys, publicUrl: string) {
  const audience = `${publicUrl}/api`;
  const required = {
    algorithms: ['HS256'],
    typ: TYPE,
    issuer: publicUrl,
    audience,
    requiredClaims: ['sub', 'sid', 'iat', 'exp'],
    // Expiry is compared with database time, which is read with the session (`belongsTo`).
    currentDate: new Date(0),
  };

  async function verify(token: string): Promise<JWTPayload | null> {
    for (const key of keys) {
      const verified = await jwtVerify(token, key, required).catch(() => null);
      if (verified !== null) return verified.payload;
    }
    return null;
  }

  return {
    /** Signs an access token; `issued` is database time in Unix seconds. */
    sign: (session: { id: string; account_id: string }, issued: number) =>
      new SignJWT({ sid: session.id })
        .setProtectedHeader({ alg: 'HS256', typ: TYPE })
        .setIssuer(publicUrl)
        .setAudience(audience)
        .setSubject(session.account_id)
        .setIssuedAt(issued)
        .setExpirationTime(issued + accessSeconds)
        .sign(keys[0]),
    /** Returns null unless this service signed the token for this use. */
    async read(token: string): Promise<AccessClaims | null> {
      const payload = await verify(token);
      if (payload === null) return null;
      const { sub, sid, exp } = payload;
      if (typeof sid !== 'string' || !isUuid(sid) || !isUuid(sub!)) return null;
      return { account_id: sub!, session_id: sid, expires: exp! };
    },
  };
}

/** A refresh token of a session, numbered by how often it was renewed. */
export interface RefreshToken {
  session_id: string;
  rotation: number;
}

/**
 * Creates numbered, signed refresh tokens (docs/decisions/0015). The row stores the current number,
 * which shows that older tokens are outdated. A token that is sent again gets the same successor.
 */
export function createRefreshTokens(keys: Subkeys) {
  function signed({ session_id, rotation }: RefreshToken, key: Buffer): string {
    const text = `${session_id}.${rotation}`;
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  }
  return {
    write: (token: RefreshToken) => signed(token, keys[0]),
    /** Returns null unless this service wrote the token; its row shows whether it is current. */
    read(text: string | undefined = ''): RefreshToken | null {
      const [session_id = '', digits = ''] = text.split('.');
      if (!isUuid(session_id) || !/^\d{1,15}$/.test(digits)) return null;
      const token = { session_id, rotation: Number(digits) };
      const received = Buffer.from(text);
      const isOurs = keys.some((key) => equalSecrets(received, Buffer.from(signed(token, key))));
      return isOurs ? token : null;
    },
  };
}
