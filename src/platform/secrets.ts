import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Subkeys and encryption derived from the one root, `SECRETS_KEY` (identity.md 2.2). */
export interface Secrets {
  /** A 32-byte subkey of its own for each purpose. */
  subkey(label: string): Buffer;
  encrypt(plain: string, label: string): Buffer;
  decrypt(sealed: Buffer, label: string): string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createSecrets(root: string): Secrets {
  const subkey = (label: string) =>
    Buffer.from(hkdfSync('sha256', root, 'toolgate', `toolgate/${label}`, 32));
  return {
    subkey,
    encrypt(plain, label) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', subkey(label), nonce);
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    decrypt(sealed, label) {
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', subkey(label), nonce);
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const body = sealed.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    },
  };
}

/** What is stored of a secret we hand out; 122 random bits and more need no slow hash. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** 32 random bytes, base64url: links, refresh tokens, session ids. */
export const newToken = (): string => randomBytes(32).toString('base64url');

export function equalSecrets(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
