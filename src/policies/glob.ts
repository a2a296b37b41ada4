/**
 * Globs in linear time: `?` and `*` within a segment, `**` as a whole segment at any depth, every
 * other character itself. Regular-expression globbing hangs on short patterns.
 */
export const PATTERN_BYTES = 512;

// Braces, classes, negation, escapes and control characters: other dialects would read them.
const FOREIGN = /[{}[\]!\\\p{Cc}]|[?*+@]\(/u;

/** Whether the text is a pattern; anything else is malformed, never taken literally. */
export function isGlob(pattern: string): boolean {
  if (FOREIGN.test(pattern) || utf8Length(pattern) > PATTERN_BYTES) return false;
  return pattern.split('/').every(isSegment);
}

// An empty segment is a leading, trailing or double slash, and the `//` of a URI.
function isSegment(segment: string): boolean {
  if (segment === '' || segment === '.' || segment === '..') return false;
  return segment === '**' || !segment.includes('**');
}

// The portable part of the code has no Buffer.
export const utf8Length = (text: string) => new TextEncoder().encode(text).length;
