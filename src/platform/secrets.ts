import {
  createCipheriv,
  createDecipheriv,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Subkeys derived from the root key `SECRETS_KEY` (identity.md 2.2). */
export interface Secrets {
  /** Returns the 32-byte subkey of a purpose. */
  subkey(label: string): Buffer;
  /** Returns ciphertext that decrypts only with the same label and `owner`. */
  encrypt(label: string, owner: string, text: string): Buffer;
  /** Throws for anything that `encrypt` did not produce with this label and owner. */
  decrypt(label: string, owner: string, sealed: Buffer): string;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createSecrets(root: string): Secrets {
  const subkey = (label: string) =>
    Buffer.from(hkdfSync('sha256', root, 'toolgate', `toolgate/${label}`, 32));
  return {
    subkey,
    encrypt(label, owner, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, subkey(label), nonce).setAAD(Buffer.from(owner));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },
    decrypt(label, owner, sealed) {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      const options = { authTagLength: TAG_BYTES };
      const decipher = createDecipheriv(CIPHER, subkey(label), nonce, options)
        .setAAD(Buffer.from(owner))
        .setAuthTag(tag);
      const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    },
  };
}

/** Returns the hash stored for a secret we issue; 80 or more random bits need no slow hash. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** Returns the same hash as hex text, which avoids allocating a buffer on the hot path. */
export const hexHashOf = (secret: string): string => hash('sha256', secret, 'hex');

/** Returns 32 random bytes as base64url, for links, refresh tokens and session ids. */
export const newToken = (): string => randomBytes(32).toString('base64url');

export function equalSecrets(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
