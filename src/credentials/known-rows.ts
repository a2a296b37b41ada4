import { LRUCache } from 'lru-cache';
import { deepFreeze } from '../platform/frozen.ts';
import type { Credential } from './credential.ts';

// Limits in characters of rows and keys: in total, and for one row. A row has about a thousand, and
// takes about four times its text once it is parsed; with long policies it may have 300,000.
const MAX_CHARACTERS = 20_000_000;
const MAX_ROW = 100_000;

/**
 * Creates a function that parses rows, and returns the same credential while its row is the same
 * text. Most requests find the row that the one before them found, which is then not parsed again,
 * and what was derived from its principal can be used for them. The row is still read for each
 * request, so a revocation is never missed. The credential is frozen, since requests share it.
 */
export function createKnownRows(parse: (key: string, row: string) => Credential) {
  const known = new LRUCache<string, { row: string; credential: Credential }>({
    maxSize: MAX_CHARACTERS,
    maxEntrySize: MAX_ROW,
    sizeCalculation: ({ row }, key) => row.length + key.length,
  });

  return function credentialIn(key: string, row: string): Credential {
    const last = known.get(key);
    if (last?.row === row) return last.credential;
    const credential = deepFreeze(parse(key, row));
    known.set(key, { row, credential });
    return credential;
  };
}
