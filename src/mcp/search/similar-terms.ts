import type { Steps } from '../../platform/concurrency/turns.ts';

/** A term that stands for one of a query, with how much it counts. */
export interface SimilarTerm {
  term: string;
  weight: number;
}

interface Found extends SimilarTerm {
  count: number;
}

// Shorter terms match too much if their endings or single letters may differ.
const MIN_PREFIX = 3;
const MIN_FUZZY = 4;
/** A letter of five may differ. */
const FUZZINESS = 0.2;
const MAX_DISTANCE = 3;
// The weights of MiniSearch.
const PREFIX_WEIGHT = 0.375;
const FUZZY_WEIGHT = 0.45;

const TERMS_PER_STEP = 256;

/**
 * Returns the term itself and the most similar ones, which together occur in at most
 * `maxOccurrences` tools: as many terms may begin alike as a list has. `occurrences` has the number
 * of tools that contain each term.
 */
export function* similarTerms(
  term: string,
  occurrences: ReadonlyMap<string, number>,
  maxOccurrences: number,
): Steps<SimilarTerm[]> {
  const found: Found[] = [];
  let scanned = 0;
  for (const [other, count] of occurrences) {
    if ((scanned += 1) % TERMS_PER_STEP === 0) yield;
    const weight = weightOf(term, other);
    if (weight === null) continue;
    found.push({ term: other, weight, count });
    // Each occurs at least once.
    if (found.length > 2 * maxOccurrences) keepBest(found, maxOccurrences);
  }
  keepBest(found, maxOccurrences);
  let sum = 0;
  const few = found.filter(({ count }) => (sum += count) <= maxOccurrences);
  return [{ term, weight: 1 }, ...few];
}

function keepBest(found: Found[], max: number): void {
  found.sort((one, other) => other.weight - one.weight || one.count - other.count);
  found.length = Math.min(found.length, max);
}

/** Returns how much a term counts that is similar to one of a query; null if it is not, or the same. */
function weightOf(term: string, other: string): number | null {
  if (term === other) return null;
  const { length } = other;
  if (term.length >= MIN_PREFIX && other.startsWith(term))
    return (PREFIX_WEIGHT * length) / (length + 0.3 * (length - term.length));
  if (term.length < MIN_FUZZY) return null;
  const max = Math.min(MAX_DISTANCE, Math.round(term.length * FUZZINESS));
  const distance = distanceWithin(term, other, max);
  return distance === null ? null : (FUZZY_WEIGHT * length) / (length + distance);
}

// Terms have at most 40 characters; used within one call only.
let above = new Uint8Array(64);
let current = new Uint8Array(64);

/** Returns the number of letters to insert, delete or replace; null if it is more than `max`. */
function distanceWithin(one: string, other: string, max: number): number | null {
  if (max === 0 || Math.abs(one.length - other.length) > max) return null;
  const far = max + 1;
  for (let column = 0; column <= far; column += 1) above[column] = column;
  for (let row = 1; row <= one.length; row += 1) {
    // Further from the diagonal, every distance is too large.
    const [from, to] = [Math.max(1, row - max), Math.min(other.length, row + max)];
    current[from - 1] = from === 1 ? row : far;
    let least = current[from - 1]!;
    for (let column = from; column <= to; column += 1) {
      const isSame = one.charCodeAt(row - 1) === other.charCodeAt(column - 1);
      const replaced = above[column - 1]! + (isSame ? 0 : 1);
      const value = Math.min(replaced, above[column]! + 1, current[column - 1]! + 1);
      current[column] = value;
      if (value < least) least = value;
    }
    if (least > max) return null;
    current[to + 1] = far;
    [above, current] = [current, above];
  }
  const distance = above[other.length]!;
  return distance > max ? null : distance;
}
