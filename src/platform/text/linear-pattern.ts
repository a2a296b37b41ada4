import { RE2JS } from 're2js';
import { patternCost } from './pattern-cost.ts';

/** An untrusted regular expression: no look-around, no backreferences, matched in linear time. */
export interface LinearPattern {
  test(text: string): boolean;
  /** Number of compiled instructions: a match takes at most this many steps per character. */
  size: number;
}

const MAX_CHARACTERS = 512;
const MAX_INSTRUCTIONS = 1_000;
// Some ten milliseconds.
const MAX_COST = 4_000;

/** Compiles a pattern; throws an `Error` whose message explains the problem to the author. */
export function compileLinearPattern(source: string): LinearPattern {
  if (source.length > MAX_CHARACTERS)
    throw new Error(`The pattern must have at most ${MAX_CHARACTERS} characters.`);
  if (patternCost(source) > MAX_COST) throw tooComplex();
  const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
  const size = compiled.programSize();
  // Nested repetitions multiply: `(a{30}){30}` compiles to 900 instructions.
  if (size > MAX_INSTRUCTIONS) throw tooComplex();
  return { size, test: (text) => compiled.matcher(text).find() };
}

const tooComplex = () =>
  new Error('The pattern is too complex: it has too many repetitions or Unicode classes.');
