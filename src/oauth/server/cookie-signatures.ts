import { createHmac } from 'node:crypto';
import { equalSecrets } from '../../platform/secrets.ts';
import type { Subkeys } from '../../platform/secrets.ts';

/**
 * Signs the cookies that bind an authorization to the browser in which it was started: their values
 * are in URLs, so that others may know them.
 */
export function createCookieSignatures(keys: Subkeys) {
  const signWith = (key: Buffer, cookie: string) =>
    createHmac('sha256', key).update(cookie).digest('base64url');
  const verify = (cookie: string, signature: string) =>
    keys.some((key) => equalSecrets(Buffer.from(signature), Buffer.from(signWith(key, cookie))));
  return {
    /** Signs `name=value`. */
    sign: (cookie: string) => signWith(keys[0], cookie),
    verify,
    /**
     * Returns the position of the key that made a signature; -1 if none of ours did. For another
     * position, the library would set the cookie again, for every path.
     */
    index: (cookie: string, signature: string): number => (verify(cookie, signature) ? 0 : -1),
  };
}
export type CookieSignatures = ReturnType<typeof createCookieSignatures>;
