import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { createGate } from '../../platform/concurrency/gate.ts';

export type PasswordFault = 'short' | 'long' | 'guessable';

export interface Passwords {
  /** Whether a new password is too short or too long; costs nothing whatever its length. */
  measure(password: string): 'short' | 'long' | null;
  /** What is wrong with one, or null; milliseconds, so a limit or a link comes before it. */
  judge(password: string, personal: readonly string[]): Promise<PasswordFault | null>;
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
// Scoring is superlinear: 128 repeated characters take half a second, their first 32 five
// milliseconds. What those are worth, the whole is worth at least.
const SCORED = 32;
// Whoever registers chooses the names too.
const MOST_PERSONAL = 12;
const MAX_L33T = 5;
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const PREFIX = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`;

/** Four hashes at once, a hundred waiting two seconds; then 503 rather than a longer queue. */
export function createPasswords(): Passwords {
  const pass = createGate({ width: 4, waiting: 100, waitMs: 2_000 });
  const loadGuesses = onceLoaded(createGuesses);
  const nobody = unusable();
  return {
    measure,
    async judge(password, personal) {
      const fault = measure(password);
      if (fault !== null) return fault;
      const scored = Array.from(password).slice(0, SCORED).join('');
      const guesses = await loadGuesses();
      const { score } = guesses.check(scored, personalWords(personal));
      return score < LEAST_SCORE ? 'guessable' : null;
    },
    hash: (password) => pass(() => hash(canonical(password), cost)),
    matches: (password, stored) => pass(() => verify(stored ?? nobody, canonical(password))),
    unusable,
    isDated: (stored) => !stored.startsWith(PREFIX),
  };
}

function measure(password: string): 'short' | 'long' | null {
  // A character has at most two code units here, so a megabyte is never taken apart.
  if (password.length > 2 * LONGEST) return 'long';
  const { length } = Array.from(password);
  if (length < SHORTEST) return 'short';
  return length > LONGEST ? 'long' : null;
}

/** Its word lists take megabytes, which a gateway that nobody signs up at does without. */
async function createGuesses() {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  const graphs = adjacencyGraphs;
  return new ZxcvbnFactory({ dictionary, graphs, l33tMaxSubstitutions: MAX_L33T });
}

function onceLoaded<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => (loading ??= load());
}

// The same password typed on another keyboard may arrive in another composition.
const canonical = (password: string) => password.normalize('NFC');

/** What somebody might guess of these texts, no longer than what is scored and not too many. */
function personalWords(texts: readonly string[]): string[] {
  const words = texts.flatMap(wordsOf).map((word) => word.slice(0, SCORED).toLowerCase());
  return [...new Set(words)].slice(0, MOST_PERSONAL);
}

/** A personal text whole, in its words, and with them run together: adalovelace. */
function wordsOf(text: string): string[] {
  const [name = '', ...rest] = text.split('@');
  const words = [name, ...rest].flatMap((part) => part.split(/[.\s_+-]+/));
  const joined = name.replaceAll(/[.\s_+-]+/g, '');
  return [text, name, joined, ...words].filter((word) => word.length > 2);
}

/** Random bytes in the form of a hash: nobody has ever known a password for them. */
function unusable(): string {
  const part = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  return `${PREFIX}${part(16)}$${part(32)}`;
}
