import { createHmac } from 'node:crypto';
import { equalSecrets } from '../../platform/secrets.ts';
import type { Subkeys } from '../../platform/secrets.ts';
import { badParams } from './errors.ts';

const MAC_BYTES = 16;

/**
 * Signed list cursors, which contain the position after which the next page begins. A cursor is
 * valid only for the list and credential it was issued for, on every instance that has the key.
 */
export interface Cursors {
  seal(list: string, credential: string, position: string): string;
  /** Returns the position; throws `invalid_cursor` unless issued for this list and credential. */
  open(list: string, credential: string, cursor: unknown): string;
}

export function createCursors(keys: Subkeys): Cursors {
  const macBy = (key: Buffer, list: string, credential: string, position: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([list, credential, position]))
      .digest()
      .subarray(0, MAC_BYTES);
  return {
    seal(list, credential, position) {
      const mac = macBy(keys[0], list, credential, position);
      const bytes = Buffer.concat([mac, Buffer.from(position)]);
      return bytes.toString('base64url');
    },
    open(list, credential, cursor) {
      const bytes = Buffer.from(typeof cursor === 'string' ? cursor : '', 'base64url');
      const mac = bytes.subarray(0, MAC_BYTES);
      const position = bytes.subarray(MAC_BYTES).toString('utf8');
      // Decoding ignores invalid characters, so compare with the canonical spelling.
      const isOurs =
        bytes.length > MAC_BYTES &&
        bytes.toString('base64url') === cursor &&
        keys.some((key) => equalSecrets(mac, macBy(key, list, credential, position)));
      if (!isOurs) throw badParams('invalid_cursor', 'Invalid cursor');
      return position;
    },
  };
}
