import { LRUCache } from 'lru-cache';
import type { Credential } from './credential.ts';

// Limit in characters of rows and keys; a row has about a thousand, but policies may be long.
const MAX_CHARACTERS = 50_000_000;

/**
 * Creates a function that parses rows, and returns the same credential while its row is the same
 * text. Most requests find the row that the one before them found; theirs is not parsed again, and
 * what was derived from its principal can be used for them. The row was still read for each of
 * them: nothing that PostgreSQL knows can be missed.
 */
export function createKnownRows(parse: (key: string, row: string) => Credential) {
  const known = new LRUCache<string, { row: string; credential: Credential }>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ row }, key) => row.length + key.length,
  });

  return function credentialIn(key: string, row: string): Credential {
    const last = known.get(key);
    if (last?.row === row) return last.credential;
    const credential = parse(key, row);
    known.set(key, { row, credential });
    return credential;
  };
}
