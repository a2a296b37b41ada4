/**
 * Globs matched in linear time: `?` and `*` within a segment, `**` as a whole segment at any depth;
 * all other characters are literal. Globs compiled to regular expressions can hang even on short
 * patterns.
 */
export const PATTERN_BYTES = 512;

// Control characters, and the syntax of other glob dialects: braces, classes, groups, escapes.
const FOREIGN = /[{}[\]!\\\p{Cc}]|[?*+@]\(/u;

/**
 * Returns whether the text is a valid pattern; anything else is malformed, never treated as a
 * literal.
 */
export function isGlob(pattern: string): boolean {
  if (FOREIGN.test(pattern) || utf8Length(pattern) > PATTERN_BYTES) return false;
  return pattern.split('/').every(isSegment);
}

// An empty segment means a leading, trailing or double slash, or the `//` of a URI.
function isSegment(segment: string): boolean {
  if (segment === '' || segment === '.' || segment === '..') return false;
  return segment === '**' || !segment.includes('**');
}

// Does not use Buffer, which browsers do not have.
export const utf8Length = (text: string) => new TextEncoder().encode(text).length;
