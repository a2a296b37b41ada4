import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';
import type { Method } from './schema.ts';

const FactorsRow = z.object({
  totp: z.boolean(),
  passkey: z.boolean(),
  recovery_codes: z.number(),
});
export type AccountFactors = z.infer<typeof FactorsRow>;

/** Returns which second factors an account has. */
export async function findFactors(db: Queryable, accountId: string): Promise<AccountFactors> {
  return db.one(sql.type(FactorsRow)`
    SELECT
      EXISTS (SELECT FROM account_totp
        WHERE account_id = ${accountId} AND confirmed_at IS NOT NULL) AS totp,
      EXISTS (SELECT FROM account_passkey WHERE account_id = ${accountId}) AS passkey,
      (SELECT count(*) FROM account_recovery_code WHERE account_id = ${accountId})
        AS recovery_codes`);
}

const SinceRow = z.object({ since: z.string().nullable() });

/** Returns since when the account has had a second factor; null if it has none. */
export function findFactorSince(db: Queryable, accountId: string): Promise<string | null> {
  return db.oneFirst(sql.type(SinceRow)`
    SELECT least(
      (SELECT confirmed_at FROM account_totp WHERE account_id = ${accountId}),
      (SELECT min(created_at) FROM account_passkey WHERE account_id = ${accountId})) AS since`);
}

/** Returns whether the account has a second factor; recovery codes alone are not one. */
export const hasFactor = ({ totp, passkey }: AccountFactors): boolean => totp || passkey;

export const methodsOf = (factors: AccountFactors): Method[] => [
  ...(factors.totp ? (['totp'] as const) : []),
  ...(factors.passkey ? (['passkey'] as const) : []),
  ...(factors.recovery_codes > 0 ? (['recovery_code'] as const) : []),
];

/**
 * Inserts a pending sign-in; false if all sessions ended since the proof, or the account is not
 * active.
 */
export async function insertPendingSignIn(
  db: Queryable,
  pending: {
    hash: Buffer;
    account_id: string;
    sessions_ended: number;
    amr: readonly string[];
    method_since: string | null;
  },
): Promise<boolean> {
  const { hash, account_id, sessions_ended, amr, method_since } = pending;
  const { rowCount } = await db.query(sql.typeAlias('void')`
    INSERT INTO sign_in_challenge (token_hash, account_id, amr, method_since, expires_at)
    SELECT ${sql.binary(hash)}, account.id, ${sql.array(amr, 'text')},
      ${method_since}::timestamptz, now() + interval '5 minutes'
    FROM account
    WHERE account.id = ${account_id} AND account.status = 'active'
      AND account.sessions_ended = ${sessions_ended}
    FOR SHARE`);
  return rowCount === 1;
}

const PendingSignInRow = z.object({
  account_id: z.string(),
  email: z.string().nullable(),
  amr: z.array(z.string()),
  /** When the method of the first step was added to the account; null if it has no such time. */
  method_since: z.string().nullable(),
});
export type PendingSignIn = z.infer<typeof PendingSignInRow>;

/** Returns a pending sign-in that has neither expired nor used up its attempts. */
export async function findPendingSignIn(
  db: Queryable,
  hash: Buffer,
): Promise<PendingSignIn | null> {
  return db.maybeOne(sql.type(PendingSignInRow)`
    SELECT challenge.account_id, account.email, challenge.amr, challenge.method_since
    FROM sign_in_challenge challenge JOIN account ON account.id = challenge.account_id
    WHERE challenge.token_hash = ${sql.binary(hash)} AND challenge.tries < 5
      AND challenge.expires_at > now()`);
}

const TriesRow = z.object({ remaining: z.number() });

/** Counts an attempt before it is verified. Returns how many remain, or null if none remained. */
export async function consumeAttempt(db: Queryable, hash: Buffer): Promise<number | null> {
  return db.maybeOneFirst(sql.type(TriesRow)`
    UPDATE sign_in_challenge SET tries = tries + 1
    WHERE token_hash = ${sql.binary(hash)} AND tries < 5 AND expires_at > now()
    RETURNING 5 - tries AS remaining`);
}

/** Consumes the pending sign-in; of concurrent calls only one returns true. */
export async function consumePendingSignIn(db: Queryable, hash: Buffer): Promise<boolean> {
  const deleted = await db.query(sql.typeAlias('void')`
    DELETE FROM sign_in_challenge
    WHERE token_hash = ${sql.binary(hash)} AND expires_at > now()`);
  return deleted.rowCount === 1;
}

export async function deletePendingSignIns(
  db: Queryable,
  accountIds: readonly string[],
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    DELETE FROM sign_in_challenge
    WHERE account_id = ANY(${sql.array([...accountIds], 'uuid')})`);
}

export async function sweepPendingSignIns(db: Queryable): Promise<void> {
  await sweepOlder(db, { table: 'sign_in_challenge', column: 'expires_at', age: '1 hour' });
}
