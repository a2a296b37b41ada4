import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import { createGate } from '../platform/gate.ts';

export type PasswordFault = 'short' | 'long' | 'guessable';

export interface Passwords {
  /** What is wrong with a new password, or null; cheap whatever its length. */
  judge(password: string, personal: readonly string[]): PasswordFault | null;
  hash(password: string): Promise<string>;
  /** Exactly one Argon2 run, with no stored hash too: the time tells nobody which it was. */
  matches(password: string, stored: string | null): Promise<boolean>;
  /** A hash that nothing matches, for an account that shall have its password set by mail. */
  unusable(): string;
  /** Made with other parameters than today's. */
  isDated(stored: string): boolean;
}

const SHORTEST = 12;
const LONGEST = 128;
const LEAST_SCORE = 3;
// Scoring is superlinear: 128 repeated characters take half a second, their first 40 ten
// milliseconds. What those are worth, the whole is worth at least.
const SCORED = 40;
const MAX_L33T = 5;
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const PREFIX = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`;

/** Four hashes at once, a hundred waiting two seconds; then 503 rather than a longer queue. */
export function createPasswords(): Passwords {
  const pass = createGate({ width: 4, waiting: 100, waitMs: 2_000 });
  const guesses = new ZxcvbnFactory({
    dictionary,
    graphs: adjacencyGraphs,
    l33tMaxSubstitutions: MAX_L33T,
  });
  const nobody = unusable();
  return {
    judge(password, personal) {
      // A character has at most two code units here, so a megabyte is never taken apart.
      if (password.length > 2 * LONGEST) return 'long';
      const characters = Array.from(password);
      if (characters.length < SHORTEST) return 'short';
      if (characters.length > LONGEST) return 'long';
      const scored = characters.slice(0, SCORED).join('');
      const { score } = guesses.check(scored, personal.flatMap(wordsOf));
      return score < LEAST_SCORE ? 'guessable' : null;
    },
    hash: (password) => pass(() => hash(canonical(password), cost)),
    matches: (password, stored) => pass(() => verify(stored ?? nobody, canonical(password))),
    unusable,
    isDated: (stored) => !stored.startsWith(PREFIX),
  };
}

// The same password typed on another keyboard may arrive in another composition.
const canonical = (password: string) => password.normalize('NFC');

/** A personal text whole, in its words, and with them run together: adalovelace. */
function wordsOf(text: string): string[] {
  const [name = '', ...rest] = text.split('@');
  const words = [name, ...rest].flatMap((part) => part.split(/[.\s_+-]+/));
  const joined = name.replaceAll(/[.\s_+-]+/g, '');
  return [text, joined, ...words].filter((word) => word.length > 2);
}

/** Random bytes in the form of a hash: nobody has ever known a password for them. */
function unusable(): string {
  const part = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  return `${PREFIX}${part(16)}$${part(32)}`;
}
