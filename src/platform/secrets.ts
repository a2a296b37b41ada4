import {
  createCipheriv,
  createDecipheriv,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { unprocessable } from './errors/refusal.ts';

/**
 * Subkeys of one purpose: the current one, which signs and encrypts, and the others that are
 * accepted.
 */
export type Subkeys = readonly [current: Buffer, ...accepted: Buffer[]];

/**
 * Keys derived from `SECRETS_KEY` and, to verify and decrypt only, from `SECRETS_KEY_FALLBACKS`
 * (identity.md 2.2).
 */
export interface Secrets {
  /** Returns the 32-byte subkeys of a purpose. */
  subkeys(label: string): Subkeys;
  /** Returns ciphertext that decrypts only with the same label and `owner`. */
  encrypt(label: string, owner: string, text: string): Buffer;
  /**
   * Throws 422 `secret_unreadable` unless one of our keys encrypted it with this label and owner.
   */
  decrypt(label: string, owner: string, sealed: Buffer): string;
  /** Returns the ciphertext encrypted with the current key; null if it cannot be decrypted. */
  reencrypt(label: string, owner: string, sealed: Buffer): Buffer | null;
  /** Ids of the keys as hex, the current one first. */
  keyIds: readonly [current: string, ...accepted: string[]];
}

export interface SecretsOptions {
  /** Keys that are also accepted, newest first. */
  fallbacks?: readonly string[];
  /** Called with the reason, which contains no secret, when a ciphertext cannot be decrypted. */
  onUnreadable?(reason: string): void;
}

const CIPHER = 'aes-256-gcm';
/** Number of bytes of the key's id, with which a ciphertext begins. */
export const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Returns the id of the key that a ciphertext begins with, as hex. */
export const keyIdOf = (sealed: Buffer): string => sealed.subarray(0, KEY_ID_BYTES).toString('hex');

export function createSecrets(
  root: string,
  { fallbacks = [], onUnreadable = () => {} }: SecretsOptions = {},
): Secrets {
  const current = createKey(root);
  const accepted = fallbacks.map(createKey);
  const keys = new Map([current, ...accepted].map((key) => [key.id, key]));

  /** Throws `Unreadable`. */
  function open(label: string, owner: string, sealed: Buffer): string {
    const id = keyIdOf(sealed);
    const key = keys.get(id);
    if (key === undefined)
      throw new Unreadable(`key ${id} is neither SECRETS_KEY nor one of SECRETS_KEY_FALLBACKS`);
    try {
      return key.decrypt(label, owner, sealed);
    } catch {
      throw new Unreadable(`the ciphertext (key ${id}) is damaged or belongs to another row`);
    }
  }

  return {
    keyIds: [current.id, ...accepted.map(({ id }) => id)],
    subkeys: (label) => [current.subkey(label), ...accepted.map((key) => key.subkey(label))],
    encrypt: current.encrypt,
    decrypt(label, owner, sealed) {
      try {
        return open(label, owner, sealed);
      } catch (error) {
        const { message } = error as Unreadable;
        onUnreadable(`a stored ${label} cannot be decrypted: ${message}`);
        throw unprocessable(
          'secret_unreadable',
          'A stored secret cannot be decrypted. Set it again, or ask the operator to restore its key.',
          { reason: message },
        );
      }
    },
    reencrypt(label, owner, sealed) {
      try {
        return current.encrypt(label, owner, open(label, owner, sealed));
      } catch {
        return null;
      }
    },
  };
}

class Unreadable extends Error {}

/** One root key. Its ciphertext is the key's id, the nonce, the tag and the encrypted text. */
function createKey(root: string) {
  // By label: there are few, all of them in the code, and deriving one takes longer than decrypting.
  const subkeys = new Map<string, Buffer>();
  function subkey(label: string): Buffer {
    let key = subkeys.get(label);
    if (key === undefined) {
      key = Buffer.from(hkdfSync('sha256', root, 'toolgate', `toolgate/${label}`, 32));
      subkeys.set(label, key);
    }
    return key;
  }
  const id = subkey('key-id').subarray(0, KEY_ID_BYTES);
  return {
    id: id.toString('hex'),
    subkey,
    encrypt(label: string, owner: string, text: string): Buffer {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, subkey(label), nonce).setAAD(Buffer.from(owner));
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([id, nonce, cipher.getAuthTag(), encrypted]);
    },
    decrypt(label: string, owner: string, sealed: Buffer): string {
      const nonceEnd = KEY_ID_BYTES + NONCE_BYTES;
      const tagEnd = nonceEnd + TAG_BYTES;
      const nonce = sealed.subarray(KEY_ID_BYTES, nonceEnd);
      const options = { authTagLength: TAG_BYTES };
      const decipher = createDecipheriv(CIPHER, subkey(label), nonce, options)
        .setAAD(Buffer.from(owner))
        .setAuthTag(sealed.subarray(nonceEnd, tagEnd));
      const text = decipher.update(sealed.subarray(tagEnd));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    },
  };
}

/** Hashes a secret that we issue; with 80 or more random bits, a slow hash is not needed. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** Returns the same hash as hex text, which avoids allocating a buffer on the hot path. */
export const hexHashOf = (secret: string): string => hash('sha256', secret, 'hex');

/** Returns 32 random bytes as base64url, for links, refresh tokens and session ids. */
export const newToken = (): string => randomBytes(32).toString('base64url');

export function equalSecrets(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
