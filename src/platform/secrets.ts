import {
  createCipheriv,
  createDecipheriv,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Subkeys derived from the one root, `SECRETS_KEY` (identity.md 2.2). */
export interface Secrets {
  /** A 32-byte subkey of its own for each purpose. */
  subkey(label: string): Buffer;
  /** Ciphertext that opens only under the same label and for the same `owner`. */
  encrypt(label: string, owner: string, text: string): Buffer;
  /** Throws for anything but what `encrypt` made with this label for this owner. */
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

/** What is stored of a secret we hand out; 80 random bits and more need no slow hash. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** The same as text, which on the hot path spares a buffer to be made and collected. */
export const hexHashOf = (secret: string): string => hash('sha256', secret, 'hex');

/** 32 random bytes, base64url: links, refresh tokens, session ids. */
export const newToken = (): string => randomBytes(32).toString('base64url');

export function equalSecrets(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
