import { hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** Subkeys derived from the one root, `SECRETS_KEY` (identity.md 2.2). */
export interface Secrets {
  /** A 32-byte subkey of its own for each purpose. */
  subkey(label: string): Buffer;
}

export function createSecrets(root: string): Secrets {
  return {
    subkey: (label) => Buffer.from(hkdfSync('sha256', root, 'toolgate', `toolgate/${label}`, 32)),
  };
}

/** What is stored of a secret we hand out; 122 random bits and more need no slow hash. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** 32 random bytes, base64url: links, refresh tokens, session ids. */
export const newToken = (): string => randomBytes(32).toString('base64url');

export function equalSecrets(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
