import type { SessionPrincipal } from '../caller/principal.ts';
import type { Database } from '../platform/postgres/database.ts';
import { absent, conflict, unprocessable } from '../platform/errors/refusal.ts';
import type { Problem } from '../platform/errors/refusal.ts';
import { isSameInstant, pastExpiry } from './rules.ts';
import { countKeys, findKey, isNameTaken, isPast } from './store.ts';
import type { KeyRow } from './store.ts';

export interface GuardsDependencies {
  database: Pick<Database, 'pool'>;
}

/** Preconditions of every key operation, checked in the order 404, 409, 422. */
export function createGuards({ database: { pool } }: GuardsDependencies) {
  return {
    /** Revoked keys and keys of other accounts are absent. */
    async getKey({ person: account_id }: SessionPrincipal, id: string): Promise<KeyRow> {
      const row = await findKey(pool, { id, account_id });
      if (row === null) throw absent();
      return row;
    },

    /** Before the rules, so that 409 comes before 422; the unique index settles races. */
    async requireFreeName(caller: SessionPrincipal, name: string, except: string | null) {
      const { person: account_id } = caller;
      if (await isNameTaken(pool, { account_id, name, except })) refuseName();
    },

    /** What creation would refuse for other keys there are: their names, their number. */
    async keyringProblems(
      { person: account_id }: SessionPrincipal,
      name: string,
    ): Promise<Problem[]> {
      const isTaken = await isNameTaken(pool, { account_id, name, except: null });
      const isFull = (await countKeys(pool, account_id)) >= MOST_KEYS;
      return [...(isTaken ? [nameTaken] : []), ...(isFull ? [tooManyKeys] : [])];
    },

    /** An end that is stored just so may have passed since. */
    async expiryProblems(wanted: string | null, stored: string | null): Promise<Problem[]> {
      if (wanted === null || isSameInstant(wanted, stored)) return [];
      return (await isPast(pool, wanted)) ? [pastExpiry()] : [];
    },
  };
}

export type Guards = ReturnType<typeof createGuards>;

// Expired ones are among them: they are listed, hold their names and may be given a later end.
export const MOST_KEYS = 1_000;

const nameTaken: Problem = {
  code: 'name_taken',
  message: 'An active key already has this name.',
  detail: { pointer: '/name' },
};

const tooManyKeys: Problem = {
  code: 'limit_reached',
  message: 'The account has as many active keys as it may.',
  detail: null,
};

export function refuseName(): never {
  throw conflict(nameTaken.code, nameTaken.message, { detail: nameTaken.detail });
}

export function refuseKey(): never {
  throw unprocessable(tooManyKeys.code, tooManyKeys.message);
}
