import { createCursors as createSealedCursors } from '../../platform/http/cursors.ts';
import type { Subkeys } from '../../platform/secrets.ts';
import { badParams } from './errors.ts';

/** Creates cursors of lists over MCP, each bound to its list and credential. */
export function createCursors(keys: Subkeys) {
  const { seal, open } = createSealedCursors(keys);
  return {
    seal,
    /** Returns the position; throws `invalid_cursor` unless issued for this list and credential. */
    open(list: string, credential: string, cursor: unknown) {
      const position = open(list, credential, cursor);
      if (position === null) throw badParams('invalid_cursor', 'Invalid cursor');
      return position;
    },
  };
}
export type Cursors = ReturnType<typeof createCursors>;
