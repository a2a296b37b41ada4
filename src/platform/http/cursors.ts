import { createHmac } from 'node:crypto';
import { equalSecrets } from '../secrets.ts';
import type { Subkeys } from '../secrets.ts';

const MAC_BYTES = 16;

/**
 * Signs list cursors, which contain the position after which the next page begins. A cursor is
 * valid only for the list and caller it was issued for, on every instance that has the key.
 */
export function createCursors(keys: Subkeys) {
  const macBy = (key: Buffer, list: string, caller: string, position: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([list, caller, position]))
      .digest()
      .subarray(0, MAC_BYTES);
  return {
    seal(list: string, caller: string, position: string) {
      const mac = macBy(keys[0], list, caller, position);
      const bytes = Buffer.concat([mac, Buffer.from(position)]);
      return bytes.toString('base64url');
    },
    /** Returns the position; null unless the cursor was issued for this list and caller. */
    open(list: string, caller: string, cursor: unknown) {
      const bytes = Buffer.from(typeof cursor === 'string' ? cursor : '', 'base64url');
      const mac = bytes.subarray(0, MAC_BYTES);
      const position = bytes.subarray(MAC_BYTES).toString('utf8');
      // Decoding ignores invalid characters, so compare with the canonical spelling.
      const isOurs =
        bytes.length > MAC_BYTES &&
        bytes.toString('base64url') === cursor &&
        keys.some((key) => equalSecrets(mac, macBy(key, list, caller, position)));
      return isOurs ? position : null;
    },
  };
}
export type Cursors = ReturnType<typeof createCursors>;
