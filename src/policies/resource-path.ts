import { HIDING_CHARACTERS } from '../platform/text/invisible.ts';
import { utf8Length } from './glob.ts';

const PATH_BYTES = 1_024;

// The NFC form of an unassigned character may change in a later version of Unicode. A backslash
// separates folders on other systems.
const REFUSED = new RegExp(`[${HIDING_CHARACTERS}\\p{Cc}\\p{Cn}\\\\]`, 'u');

/**
 * Returns whether a text in NFC is a path: segments between slashes, none of them empty, `.` or
 * `..`.
 */
export function isResourcePath(path: string): boolean {
  if (utf8Length(path) > PATH_BYTES || REFUSED.test(path)) return false;
  return path.split('/').every((segment) => !['', '.', '..'].includes(segment));
}

/** Returns the URI of a resource: the prefix of its space, and the percent-encoded segments. */
export const resourceUri = (prefix: string, path: string): string =>
  prefix + path.split('/').map(encodeURIComponent).join('/');
