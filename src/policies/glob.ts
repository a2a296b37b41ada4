/**
 * Globs in linear time: `?` and `*` within a segment, `**` as a whole segment at any depth, every
 * other character itself. Regular-expression globbing hangs on short patterns; this takes at most
 * a constant for each pair of a pattern's and a path's character.
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
export function matchesGlob(pattern: string, path: string): boolean {
  const segments = pattern.split('/');
  // At the end `**` stands for something below, not for the folder itself.
  if (segments.at(-1) === '**') segments.push('*');
  const wanted = segments.map((segment) => (segment === '**' ? segment : Array.from(segment)));
  const given = path.split('/').map((segment) => Array.from(segment));
  return matches(wanted, given, (one) => one === '**', matchesSegment);
}

const matchesSegment = (wanted: '**' | string[], given: string[]) =>
  matches(
    wanted as string[],
    given,
    (one) => one === '*',
    (one, character) => one === '?' || one === character,
  );

/**
 * Wildcards over any sequence: only the last star ever needs another try, since what stood before
 * it is matched as early as can be.
 */
function matches<Wanted, Given>(
  wanted: readonly Wanted[],
  given: readonly Given[],
  isStar: (one: Wanted) => boolean,
  fits: (one: Wanted, other: Given) => boolean,
): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let position = 0; position < given.length;) {
    const one = wanted[at];
    if (one !== undefined && isStar(one)) {
      star = at;
      at += 1;
      resume = position;
    } else if (one !== undefined && fits(one, given[position]!)) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      position = resume;
    } else return false;
  }
  return wanted.slice(at).every(isStar);
}

// The portable part of the code has no Buffer.
export const utf8Length = (text: string) => new TextEncoder().encode(text).length;
