interface Range {
  from: number;
  to: number;
}

// The engine searches for so short a text in linear time; its search for longer ones is not.
const HEAD = 6;
const CHARACTERS_PER_STEP = 16_384;

/**
 * Creates a search for one text in others, in linear time for any two texts: with the method of
 * Knuth, Morris and Pratt, and with the engine's own search where no occurrence has begun.
 */
export function createTextSearch(sought: string) {
  const head = sought.slice(0, HEAD);
  let borders: Int32Array | null = null;

  /**
   * Yields every occurrence after `start` from left to right, without the part that an earlier one
   * covered; null between them, so that the caller can pause a long search.
   */
  function* occurrencesIn(text: string, start: number): Generator<Range | null, void, void> {
    borders ??= bordersOf(sought);
    let coveredTo = 0;
    let matched = 0;
    for (let at = start; at !== -1 && at < text.length;) {
      const stepEnd = Math.min(text.length, at + CHARACTERS_PER_STEP);
      do {
        matched = extend(sought, borders, matched, text.charCodeAt(at));
        at += 1;
        if (matched === sought.length) {
          yield { from: Math.max(coveredTo, at - matched), to: at };
          coveredTo = at;
          matched = borders[matched]!;
        }
      } while (matched > 0 && at < stepEnd);
      yield null;
      if (matched === 0) at = text.indexOf(head, at);
    }
  }

  return {
    length: sought.length,
    /** Returns where an occurrence may begin; -1 if there is none. */
    startIn: (text: string) => text.indexOf(head),
    occurrencesIn,
  };
}
export type TextSearch = ReturnType<typeof createTextSearch>;

/** Returns how many characters of `sought` match after one more character. */
function extend(sought: string, borders: Int32Array, matched: number, next: number): number {
  let length = matched;
  while (length > 0 && sought.charCodeAt(length) !== next) length = borders[length]!;
  return sought.charCodeAt(length) === next ? length + 1 : 0;
}

/** Returns the length of the longest proper border of the first n characters, for each n. */
function bordersOf(sought: string): Int32Array {
  const borders = new Int32Array(sought.length + 1);
  for (let length = 2; length <= sought.length; length += 1)
    borders[length] = extend(sought, borders, borders[length - 1]!, sought.charCodeAt(length - 1));
  return borders;
}
