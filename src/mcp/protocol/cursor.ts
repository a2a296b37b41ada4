import { createHmac } from 'node:crypto';
import { equalSecrets } from '../../platform/secrets.ts';
import { badParams } from './errors.ts';

const MAC_BYTES = 16;

/**
 * Cursors of lists: the place after which the next page begins, good only for the list and the
 * credential it was given out for, on every instance that shares the key.
 */
export interface Cursors {
  seal(list: string, credential: string, place: string): string;
  /** Refuses with `invalid_cursor` whatever was not given out for this list and credential. */
  open(list: string, credential: string, cursor: unknown): string;
}

export function createCursors(key: Buffer): Cursors {
  const mac = (list: string, credential: string, place: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([list, credential, place]))
      .digest()
      .subarray(0, MAC_BYTES);
  return {
    seal(list, credential, place) {
      const bytes = Buffer.concat([mac(list, credential, place), Buffer.from(place)]);
      return bytes.toString('base64url');
    },
    open(list, credential, cursor) {
      const bytes = Buffer.from(typeof cursor === 'string' ? cursor : '', 'base64url');
      const place = bytes.subarray(MAC_BYTES).toString('utf8');
      // Decoding skips what is no base64url; only the one true spelling is a cursor.
      const isOurs =
        bytes.length > MAC_BYTES &&
        bytes.toString('base64url') === cursor &&
        equalSecrets(bytes.subarray(0, MAC_BYTES), mac(list, credential, place));
      if (!isOurs) throw badParams('invalid_cursor', 'Invalid cursor');
      return place;
    },
  };
}
