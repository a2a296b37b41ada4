import { utf8Length } from './glob.ts';

const PATH_BYTES = 1_024;

// Controls, line ends, bidi and zero-width characters hide what a name says; of what is not yet
// assigned nobody can say whether it is normalised. A backslash parts folders elsewhere.
const REFUSED =
  /[\\\p{Cc}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

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
