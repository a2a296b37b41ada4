import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

// 32 random characters have 31 to 32, and four words joined at most 26.
const MIN_GUESSES_LOG10 = 28;
// The scorer takes a time that grows faster than the length.
const MAX_SCORED = 32;

/** Returns whether a key of at least 32 characters is made of words, repetitions or sequences. */
export function isGuessable(key: string): boolean {
  const scorer = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  return scorer.check(key.slice(0, MAX_SCORED)).guessesLog10 < MIN_GUESSES_LOG10;
}
