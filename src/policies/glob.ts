import { Glob } from './glob-automaton.ts';

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

/** Case-sensitive. The pattern is one that `isGlob` accepts, the path a normalised one. */
export const matchesGlob = (pattern: string, path: string): boolean =>
  globOf(pattern).matches(path);

const KEPT = 2_000;
const kept = new Map<string, Glob>();

/** Patterns seen last, compiled: a list asks of each for every item. */
function globOf(pattern: string): Glob {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  const glob = new Glob(pattern);
  kept.set(pattern, glob);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
  return glob;
}

// The portable part of the code has no Buffer.
export const utf8Length = (text: string) => new TextEncoder().encode(text).length;
