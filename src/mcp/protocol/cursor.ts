import { createCursors as createSealedCursors } from '../../platform/http/cursors.ts';
import type { Subkeys } from '../../platform/secrets.ts';
import { badParams } from './errors.ts';

/** Cursors of lists over MCP, each bound to its list and credential. */
export interface Cursors {
  seal(list: string, credential: string, position: string): string;
  /** Returns the position; throws `invalid_cursor` unless issued for this list and credential. */
  open(list: string, credential: string, cursor: unknown): string;
}

export function createCursors(keys: Subkeys): Cursors {
  const { seal, open } = createSealedCursors(keys);
  return {
    seal,
    open(list, credential, cursor) {
      const position = open(list, credential, cursor);
      if (position === null) throw badParams('invalid_cursor', 'Invalid cursor');
      return position;
    },
  };
}
