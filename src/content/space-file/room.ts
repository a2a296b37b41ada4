import { BODY_BYTES, MAX_PUNCTUATION, punctuationOf } from '../../platform/http/body.ts';

// Reserved for the empty lists and a cursor. The selection of built-in items is counted separately.
const RESERVED_BYTES = 8_192;
const RESERVED_TOKENS = 100;

/**
 * Tracks the space left in a file before the import would reject it. The limits are those of a
 * request body.
 */
export function createRoom() {
  let bytes = BODY_BYTES - RESERVED_BYTES;
  let punctuation = MAX_PUNCTUATION - RESERVED_TOKENS;
  return {
    bytes: (): number => bytes,
    /** Counts an entry; returns false if it does not fit. After that, nothing else fits either. */
    take(entry: object): boolean {
      bytes -= Buffer.byteLength(JSON.stringify(entry)) + 1;
      punctuation -= punctuationOf(entry) + 1;
      return bytes >= 0 && punctuation >= 0;
    },
  };
}
