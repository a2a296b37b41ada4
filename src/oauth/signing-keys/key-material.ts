import { createPublicKey, generateKeyPair } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { isRefusal } from '../../platform/errors/refusal.ts';
import { newId } from '../../platform/ids.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { signingKeys } from './store.ts';
import type { SigningKeyRow } from './store.ts';

/** A private key as a JWK, with its id. */
export type SigningJwk = JsonWebKey & { kid: string; alg: 'RS256'; use: 'sig'; kty: 'RSA' };

// RFC 9068 requires support for RS256, and verifying, which is the hot path, is faster than ES256.
const MODULUS_BITS = 2048;
const createKeyPair = promisify(generateKeyPair);

/** Creates a private key, encrypted for its row. */
export async function createKey(
  secrets: Pick<Secrets, 'encrypt'>,
): Promise<{ id: string; key: Buffer }> {
  const id = newId();
  const { privateKey } = await createKeyPair('rsa', { modulusLength: MODULUS_BITS });
  const jwk = JSON.stringify(privateKey.export({ format: 'jwk' }));
  return { id, key: secrets.encrypt(signingKeys.label, id, jwk) };
}

/** Returns null for a key that `SECRETS_KEY` does not decrypt; that is logged. */
export function openKey(
  secrets: Pick<Secrets, 'decrypt'>,
  { id, key }: SigningKeyRow,
): SigningJwk | null {
  try {
    const jwk = JSON.parse(secrets.decrypt(signingKeys.label, id, key)) as JsonWebKey;
    return { ...jwk, kty: 'RSA', kid: id, alg: 'RS256', use: 'sig' };
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

export const publicKeyOf = (jwk: SigningJwk): KeyObject =>
  createPublicKey({ key: jwk, format: 'jwk' });
