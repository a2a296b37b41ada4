import { LRUCache } from 'lru-cache';

const MAX_CHARACTERS = 8_000_000;
const LIFETIME_MS = 60_000;

/** A decrypted value, with its size in characters. */
export interface Decrypted<Value> {
  value: Value;
  size: number;
}

/**
 * Creates a cache of decrypted secrets, so that a call costs no query and no decryption. A value
 * belongs to one version, an object that is never reused for another: with the next one, it is read
 * again and the former is dropped. No value is kept for longer than a minute.
 */
export function createDecryptedCache<Value extends object>() {
  const cache = new LRUCache<string, { version: object; value: Value }>({
    ...{ maxSize: MAX_CHARACTERS, ttl: LIFETIME_MS, ttlAutopurge: true },
    // The time need not be read for each call.
    ttlResolution: 1_000,
  });

  return async function readDecrypted(
    key: string,
    version: object,
    read: () => Promise<Decrypted<Value>>,
  ): Promise<Value> {
    const cached = cache.get(key);
    if (cached?.version === version) return cached.value;
    const { value, size } = await read();
    cache.set(key, { version, value }, { size: size + 1 });
    return value;
  };
}
