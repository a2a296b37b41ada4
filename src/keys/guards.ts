import type { SessionPrincipal } from '../caller/principal.ts';
import type { Database } from '../platform/postgres/database.ts';
import { absent, conflict, unprocessable } from '../platform/errors/refusal.ts';
import type { Problem } from '../platform/errors/refusal.ts';
import { isSameTimestamp, pastExpiry } from './rules.ts';
import { countKeys, findKey, isNameTaken, isPast } from './store.ts';
import type { KeyRow } from './store.ts';

export interface GuardsDependencies {
  database: Pick<Database, 'pool'>;
}

/** Preconditions of every key operation, checked in the order 404, 409, 422. */
export function createGuards({ database: { pool } }: GuardsDependencies) {
  return {
    /** Returns a key of the caller. Throws 404 for revoked keys and keys of other accounts. */
    async getKey({ person: account_id }: SessionPrincipal, id: string): Promise<KeyRow> {
      const row = await findKey(pool, { id, account_id });
      if (row === null) throw absent();
      return row;
    },

    /** Throws 409 for a name in use, before any 422; the unique index decides races. */
    async requireFreeName(caller: SessionPrincipal, name: string, except: string | null) {
      const { person: account_id } = caller;
      if (await isNameTaken(pool, { account_id, name, except })) throwNameTaken();
    },

    /** Returns conflicts with the account's other keys: duplicate name, or key limit reached. */
    async keyringProblems(
      { person: account_id }: SessionPrincipal,
      name: string,
    ): Promise<Problem[]> {
      const isTaken = await isNameTaken(pool, { account_id, name, except: null });
      const isFull = (await countKeys(pool, account_id)) >= MAX_KEYS;
      return [...(isTaken ? [nameTaken] : []), ...(isFull ? [tooManyKeys] : [])];
    },

    /** Returns a problem for a past expiry; an unchanged one is accepted even if it has passed. */
    async expiryProblems(expiry: string | null, stored: string | null): Promise<Problem[]> {
      if (expiry === null || isSameTimestamp(expiry, stored)) return [];
      return (await isPast(pool, expiry)) ? [pastExpiry()] : [];
    },
  };
}

export type Guards = ReturnType<typeof createGuards>;

// Counts expired keys too: they are listed, keep their names and can be extended.
export const MAX_KEYS = 1_000;

const nameTaken: Problem = {
  code: 'name_taken',
  message: 'An active key already has this name.',
  detail: { pointer: '/name' },
};

const tooManyKeys: Problem = {
  code: 'limit_reached',
  message: 'This account has reached its limit of 1,000 active keys.',
  detail: null,
};

export function throwNameTaken(): never {
  throw conflict(nameTaken.code, nameTaken.message, { detail: nameTaken.detail });
}

export function throwTooManyKeys(): never {
  throw unprocessable(tooManyKeys.code, tooManyKeys.message);
}
