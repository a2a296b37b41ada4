import type { KeyObject } from 'node:crypto';
import { unavailable } from '../../platform/errors/refusal.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { createKey, openKey, publicKeyOf } from './key-material.ts';
import type { SigningJwk } from './key-material.ts';
import {
  addSigningKey,
  deleteOthers,
  deleteRetired,
  lockSigningKeys,
  readSigningKeys,
  retireOthers,
} from './store.ts';
import type { SigningKeyRow } from './store.ts';

export type { SigningJwk };

export interface SigningKeysDependencies {
  database: Pick<Database, 'pool' | 'transaction'>;
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>;
  /** Returns milliseconds of a monotonic clock. */
  now?(): number;
}

/** The keys at one time. The same object is returned until they change. */
export interface KeySet {
  /** Private keys; the first one signs. Keys that do not sign yet, or no longer, follow. */
  signing: readonly SigningJwk[];
  /** Public keys by id. */
  verifying: ReadonlyMap<string, KeyObject>;
}

/** How long an instance may use the keys it has read. */
const CACHE_MS = 20_000;
// Longer than CACHE_MS, so that every instance publishes a key before any instance signs with it.
const OVERLAP = '1 minute';
// An access token's lifetime, and time for an instance that reads the keys late.
const TOKEN_LIFETIME = '1 hour 5 minutes';
/** Unknown ids in tokens are anyone's to send, so they do not cause a query each. */
const UNKNOWN_MS = 1_000;

/** Manages the keys that sign access tokens, shared by all instances (identity.md 9.1). */
export function createSigningKeys({
  database,
  secrets,
  now = () => performance.now(),
}: SigningKeysDependencies) {
  let cached: { keys: KeySet; ids: string; at: number } | null = null;
  let reading: Promise<KeySet> | null = null;

  async function createFirst(): Promise<readonly SigningKeyRow[]> {
    const first = await createKey(secrets);
    return database.transaction(async (transaction) => {
      await lockSigningKeys(transaction);
      const rows = await readSigningKeys(transaction);
      if (rows.length > 0) return rows;
      await addSigningKey(transaction, { ...first, delay: '0' });
      return readSigningKeys(transaction);
    });
  }

  async function read(): Promise<KeySet> {
    const at = now();
    const found = await readSigningKeys(database.pool);
    const rows = found.length > 0 ? found : await createFirst();
    const keys = rows.flatMap((row) => {
      const jwk = openKey(secrets, row);
      return jwk === null ? [] : [{ jwk, signs: row.signs }];
    });
    if (!keys.some(({ signs }) => signs))
      throw unavailable('no OAuth signing key is usable: run `toolgate oauth rotate-signing-key`');
    // A row's ciphertext may change without its key, by `rotate-secrets`.
    const ids = keys.map(({ jwk, signs }) => `${jwk.kid} ${signs}`).join();
    cached = { keys: cached?.ids === ids ? cached.keys : keySetOf(keys), ids, at };
    return cached.keys;
  }

  function refresh(): Promise<KeySet> {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  }

  const isFresh = (milliseconds: number) => cached !== null && now() - cached.at < milliseconds;
  /** Returns the current keys; creates the first one. */
  const current = async () => (isFresh(CACHE_MS) ? cached!.keys : refresh());

  return {
    current,
    /** Returns the private keys, of which the first one signs. */
    signing: async () => (await current()).signing,
    /** Returns the public key of a token's `kid`; null if no token with it is accepted. */
    async keyFor(kid: string) {
      const known = (await current()).verifying.get(kid);
      if (known !== undefined || isFresh(UNKNOWN_MS)) return known ?? null;
      return (await refresh()).verifying.get(kid) ?? null;
    },
    /**
     * Adds a key, which signs as soon as every instance has read it, and retires the others. With
     * `at_once`, the others are deleted instead, so that no token they signed is accepted.
     */
    async rotate(options: { at_once: boolean }) {
      const kid = await rotateIn(database, await createKey(secrets), options);
      cached = null;
      return { kid };
    },
  };
}
export type SigningKeys = ReturnType<typeof createSigningKeys>;

async function rotateIn(
  database: SigningKeysDependencies['database'],
  next: { id: string; key: Buffer },
  { at_once }: { at_once: boolean },
): Promise<string> {
  const delay = at_once ? '0' : OVERLAP;
  await database.transaction(async (transaction) => {
    await lockSigningKeys(transaction);
    await deleteRetired(transaction, TOKEN_LIFETIME);
    await addSigningKey(transaction, { ...next, delay });
    if (at_once) await deleteOthers(transaction, next.id);
    else await retireOthers(transaction, { id: next.id, delay });
  });
  return next.id;
}

function keySetOf(keys: readonly { jwk: SigningJwk; signs: boolean }[]): KeySet {
  const [first, others] = [keys.filter(({ signs }) => signs), keys.filter(({ signs }) => !signs)];
  return {
    signing: [...first, ...others].map(({ jwk }) => jwk),
    verifying: new Map(keys.map(({ jwk }) => [jwk.kid, publicKeyOf(jwk)])),
  };
}
