import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import {
  MIN_PASSWORD_LENGTH,
  MIN_PASSWORD_SCORE,
  scorePassword,
} from '../../platform/text/password-strength.ts';

export type PasswordIssue = 'short' | 'long' | 'guessable';

const MAX_LENGTH = 128;
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
export function createPasswords(cost = COST) {
  const withLimit = createSemaphore({ maxConcurrent: 4, maxQueued: 100, waitMs: 2_000 });
  const prefix = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`;
  /** Returns a hash that no password matches, for an account whose password is set by e-mail. */
  const unusable = () => unmatchableHash(prefix);
  const unmatchable = unusable();
  return {
    /** Checks the length of a new password; cheap for any length. */
    checkLength,
    /**
     * Returns what is wrong with a new password, or null. Takes milliseconds: require a rate limit
     * or a link first.
     */
    async findIssue(password: string, personal: readonly string[]): Promise<PasswordIssue | null> {
      const issue = checkLength(password);
      if (issue !== null) return issue;
      const score = await scorePassword(password, personal);
      return score < MIN_PASSWORD_SCORE ? 'guessable' : null;
    },
    hash: (password: string) => withLimit(() => hash(canonical(password), cost)),
    /** Verifies with exactly one Argon2 run, even without a stored hash: timing reveals nothing. */
    matches: (password: string, stored: string | null) =>
      withLimit(() => verify(stored ?? unmatchable, canonical(password))),
    unusable,
    /** Whether the hash was created with parameters other than the current ones. */
    isOutdated: (stored: string) => !stored.startsWith(prefix),
  };
}
export type Passwords = ReturnType<typeof createPasswords>;

function checkLength(password: string): 'short' | 'long' | null {
  // A character has at most two code units, so an oversized string is never split.
  if (password.length > 2 * MAX_LENGTH) return 'long';
  const { length } = Array.from(password);
  if (length < MIN_PASSWORD_LENGTH) return 'short';
  return length > MAX_LENGTH ? 'long' : null;
}

// Keyboards differ in the Unicode composition they produce for the same password.
const canonical = (password: string) => password.normalize('NFC');

/** Returns random bytes in the form of a hash, for which no password is known. */
function unmatchableHash(prefix: string): string {
  const part = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  return `${prefix}${part(16)}$${part(32)}`;
}
