import { HIDING } from '../platform/invisible.ts';
import { utf8Length } from './glob.ts';

const PATH_BYTES = 1_024;

// Whether an unassigned character is normalized cannot be known. A backslash separates folders on
// other systems.
const REFUSED = new RegExp(`[${HIDING}\\p{Cc}\\p{Cn}\\\\]`, 'u');

/** Whether a text in NFC is a path: segments between slashes, none of them empty, `.` or `..`. */
export function isResourcePath(path: string): boolean {
  if (utf8Length(path) > PATH_BYTES || REFUSED.test(path)) return false;
  return path.split('/').every((segment) => !['', '.', '..'].includes(segment));
}

const SPACE = 'toolgate://me/';

/** The one URI of a resource: `toolgate://me/<path>`, each segment percent-encoded. */
export const uriOf = (path: string): string =>
  SPACE + path.split('/').map(encodeURIComponent).join('/');

/** The path a URI names; null: it is not the one way in which a path is written. */
export function pathOf(uri: string): string | null {
  const path = decoded(uri.slice(SPACE.length));
  return path !== null && isResourcePath(path) && uriOf(path) === uri ? path : null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
