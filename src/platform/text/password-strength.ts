import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** In characters. */
export const MIN_PASSWORD_LENGTH = 12;
/** The lowest score of a new password, from 0 to 4. */
export const MIN_PASSWORD_SCORE = 3;

// Scoring is superlinear: 128 repeated characters take 500 ms, their first 32 take 5 ms. A password
// is at least as strong as its first 32 characters.
const MAX_SCORED = 32;
// The person who registers chooses the names too, so their number is bounded.
const MAX_PERSONAL = 12;
const MAX_L33T = 5;

/**
 * Returns how hard a password is to guess, from 0 to 4, also for somebody who knows these texts
 * about the person. Takes milliseconds.
 */
export async function scorePassword(
  password: string,
  personal: readonly string[],
): Promise<number> {
  const scored = Array.from(password).slice(0, MAX_SCORED).join('');
  return (await loadScorer()).check(scored, personalWords(personal)).score;
}

let scorer: Promise<ZxcvbnFactory> | undefined;

/** Loads the scorer on first use, once per process or page: its word lists take megabytes. */
function loadScorer(): Promise<ZxcvbnFactory> {
  scorer ??= createScorer();
  // A page may be offline at first.
  scorer.catch(() => (scorer = undefined));
  return scorer;
}

async function createScorer(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  const graphs = adjacencyGraphs;
  return new ZxcvbnFactory({ dictionary, graphs, l33tMaxSubstitutions: MAX_L33T });
}

/** Returns guessable words of these texts, bounded in length and number. */
function personalWords(texts: readonly string[]): string[] {
  const words = texts.flatMap(wordsOf).map((word) => word.slice(0, MAX_SCORED).toLowerCase());
  return [...new Set(words)].slice(0, MAX_PERSONAL);
}

/** Returns a text as a whole, its words, and its words joined: adalovelace. */
function wordsOf(text: string): string[] {
  const [name = '', ...rest] = text.split('@');
  const words = [name, ...rest].flatMap((part) => part.split(/[.\s_+-]+/));
  const joined = name.replaceAll(/[.\s_+-]+/g, '');
  return [text, name, joined, ...words].filter((word) => word.length > 2);
}
