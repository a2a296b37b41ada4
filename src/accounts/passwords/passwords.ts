import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';

export type PasswordIssue = 'short' | 'long' | 'guessable';

export interface Passwords {
  /** Checks the length of a new password; cheap for any length. */
  checkLength(password: string): 'short' | 'long' | null;
  /**
   * Returns what is wrong with a new password, or null. Takes milliseconds: require a rate limit or
   * a link first.
   */
  findIssue(password: string, personal: readonly string[]): Promise<PasswordIssue | null>;
  hash(password: string): Promise<string>;
  /** Verifies with exactly one Argon2 run, even without a stored hash: timing reveals nothing. */
  matches(password: string, stored: string | null): Promise<boolean>;
  /** Returns a hash that no password matches, for an account whose password is set by e-mail. */
  unusable(): string;
  /** Whether the hash was created with parameters other than the current ones. */
  isOutdated(stored: string): boolean;
}

const MIN_LENGTH = 12;
const MAX_LENGTH = 128;
const MIN_SCORE = 3;
// Scoring is superlinear: 128 repeated characters take 500 ms, their first 32 take 5 ms. A password
// is at least as strong as its first 32 characters.
const MAX_SCORED = 32;
// The person who registers chooses the names too, so their number is bounded.
const MAX_PERSONAL = 12;
const MAX_L33T = 5;
/** Parameters of Argon2; the memory is in KiB. */
export interface HashCost {
  memoryCost: number;
  timeCost: number;
  parallelism: number;
}
const COST: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Runs four hashes at a time; 100 more wait for up to two seconds, any further one is refused with
 * 503.
 */
export function createPasswords(cost = COST): Passwords {
  const withLimit = createSemaphore({ maxConcurrent: 4, maxQueued: 100, waitMs: 2_000 });
  const prefix = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`;
  const unusable = () => unmatchableHash(prefix);
  const unmatchable = unusable();
  return {
    checkLength,
    async findIssue(password, personal) {
      const issue = checkLength(password);
      if (issue !== null) return issue;
      const scored = Array.from(password).slice(0, MAX_SCORED).join('');
      const { score } = (await loadScorer()).check(scored, personalWords(personal));
      return score < MIN_SCORE ? 'guessable' : null;
    },
    hash: (password) => withLimit(() => hash(canonical(password), cost)),
    matches: (password, stored) =>
      withLimit(() => verify(stored ?? unmatchable, canonical(password))),
    unusable,
    isOutdated: (stored) => !stored.startsWith(prefix),
  };
}

function checkLength(password: string): 'short' | 'long' | null {
  // A character has at most two code units, so an oversized string is never split.
  if (password.length > 2 * MAX_LENGTH) return 'long';
  const { length } = Array.from(password);
  if (length < MIN_LENGTH) return 'short';
  return length > MAX_LENGTH ? 'long' : null;
}

let scorer: Promise<ZxcvbnFactory> | undefined;

/** Loads the scorer on first use, once per process: its word lists take megabytes of memory. */
const loadScorer = () => (scorer ??= createScorer());

async function createScorer(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  const graphs = adjacencyGraphs;
  return new ZxcvbnFactory({ dictionary, graphs, l33tMaxSubstitutions: MAX_L33T });
}

// Keyboards differ in the Unicode composition they produce for the same password.
const canonical = (password: string) => password.normalize('NFC');

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

/** Returns random bytes in the form of a hash, for which no password is known. */
function unmatchableHash(prefix: string): string {
  const part = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  return `${prefix}${part(16)}$${part(32)}`;
}
