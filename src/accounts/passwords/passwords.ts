import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import {
  MIN_PASSWORD_LENGTH,
  MIN_PASSWORD_SCORE,
  scorePassword,
} from '../../platform/text/password-strength.ts';

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
      const score = await scorePassword(password, personal);
      return score < MIN_PASSWORD_SCORE ? 'guessable' : null;
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
