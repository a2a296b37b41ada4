import { RE2JS } from 're2js';

/** A regular expression of somebody else's: no look-around, no backreference, linear in the text. */
export interface LinearPattern {
  test(text: string): boolean;
  /** Instructions of its program: a match costs at most this many steps per character. */
  size: number;
}

const MOST_CHARACTERS = 512;
const MOST_INSTRUCTIONS = 1_000;

/** Throws an `Error` whose message tells the author what is wrong. */
export function compileLinearPattern(source: string): LinearPattern {
  if (source.length > MOST_CHARACTERS)
    throw new Error(`The pattern is longer than ${MOST_CHARACTERS} characters.`);
  const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
  const size = compiled.programSize();
  // Nested repetitions multiply: `(a{30}){30}` is nine hundred letters long.
  if (size > MOST_INSTRUCTIONS) throw new Error('The pattern repeats too much.');
  return { size, test: (text) => compiled.matcher(text).find() };
}
