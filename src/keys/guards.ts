import type { Database } from '../platform/postgres/database.ts';
import { absent, conflict, unprocessable } from '../platform/errors/refusal.ts';
import type { Problem } from '../platform/errors/refusal.ts';
import { isSameTimestamp, pastExpiry } from './rules.ts';
import { countKeys, isNameTaken, isPast } from './guards-store.ts';
import { findKey } from './store.ts';
import type { KeyOwner, KeyRow } from './store.ts';

export interface GuardsDependencies {
  database: Pick<Database, 'pool'>;
}

/** Preconditions of every key operation, checked in the order 404, 409, 422. */
export function createGuards({ database: { pool } }: GuardsDependencies) {
  return {
    /** Returns a key of the owner. Throws 404 for revoked keys and keys of other owners. */
    async getKey(owner: KeyOwner, id: string): Promise<KeyRow> {
      const row = await findKey(pool, { id, owner });
      if (row === null) throw absent();
      return row;
    },

    /** Throws 409 for a name in use, before any 422; the unique index decides races. */
    async requireFreeName(owner: KeyOwner, name: string, except: string | null) {
      if (await isNameTaken(pool, { owner, name, except })) throwNameTaken();
    },

    /** Returns conflicts with the owner's other keys: duplicate name, or key limit reached. */
    async keyringProblems(owner: KeyOwner, name: string): Promise<Problem[]> {
      const isTaken = await isNameTaken(pool, { owner, name, except: null });
      const isFull = (await countKeys(pool, owner)) >= MAX_KEYS[owner.kind];
      return [...(isTaken ? [nameTaken] : []), ...(isFull ? [tooManyKeys(owner)] : [])];
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
export const MAX_KEYS = {
  account: 1_000,
  // Creating or deleting a team writes the scope of each key that follows all teams.
  organization: 100,
} as const satisfies Record<KeyOwner['kind'], number>;

const nameTaken: Problem = {
  code: 'name_taken',
  message: 'An active key already has this name.',
  detail: { pointer: '/name' },
};

const tooManyKeys = ({ kind }: KeyOwner): Problem => ({
  code: 'limit_reached',
  message: `This ${kind} has reached its limit of ${MAX_KEYS[kind].toLocaleString('en')} active keys. Revoke one first.`,
  detail: null,
});

export function throwNameTaken(): never {
  throw conflict(nameTaken.code, nameTaken.message, { detail: nameTaken.detail });
}

export function throwTooManyKeys(owner: KeyOwner): never {
  const { code, message } = tooManyKeys(owner);
  throw unprocessable(code, message);
}
