import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';
import type { Method } from './schema.ts';

const FactorsRow = z.object({
  totp: z.boolean(),
  passkey: z.boolean(),
  recovery_codes: z.number(),
});
export type OwnFactors = z.infer<typeof FactorsRow>;

/** What an account can prove itself by beside its password. */
export async function findFactors(connection: Connection, accountId: string): Promise<OwnFactors> {
  return connection.one(sql.type(FactorsRow)`
    SELECT
      EXISTS (SELECT FROM account_totp
        WHERE account_id = ${accountId} AND confirmed_at IS NOT NULL) AS totp,
      EXISTS (SELECT FROM account_passkey WHERE account_id = ${accountId}) AS passkey,
      (SELECT count(*) FROM account_recovery_code WHERE account_id = ${accountId})
        AS recovery_codes`);
}

/** Recovery codes stand in for a factor and are none. */
export const hasFactor = ({ totp, passkey }: OwnFactors): boolean => totp || passkey;

export const methodsOf = (factors: OwnFactors): Method[] => [
  ...(factors.totp ? (['totp'] as const) : []),
  ...(factors.passkey ? (['passkey'] as const) : []),
  ...(factors.recovery_codes > 0 ? (['recovery_code'] as const) : []),
];

const Found = z.object({ found: z.boolean() });

/** False if all sessions ended since the proof, or the account is not active. */
export async function insertChallenge(
  connection: Connection,
  challenge: {
    hash: Buffer;
    account_id: string;
    sessions_ended: number;
    amr: readonly string[];
  },
): Promise<boolean> {
  const { hash, account_id, sessions_ended, amr } = challenge;
  const made = await connection.maybeOne(sql.type(Found)`
    INSERT INTO sign_in_challenge (token_hash, account_id, amr, expires_at)
    SELECT ${sql.binary(hash)}, account.id, ${sql.array(amr, 'text')},
      now() + interval '5 minutes'
    FROM account
    WHERE account.id = ${account_id} AND account.status = 'active'
      AND account.sessions_ended = ${sessions_ended}
    FOR SHARE
    RETURNING true AS found`);
  return made !== null;
}

const ChallengeRow = z.object({
  account_id: z.string(),
  email: z.string().nullable(),
  amr: z.array(z.string()),
});
export type Challenge = z.infer<typeof ChallengeRow>;

/** A challenge that may still be answered. */
export async function findChallenge(
  connection: Connection,
  hash: Buffer,
): Promise<Challenge | null> {
  return connection.maybeOne(sql.type(ChallengeRow)`
    SELECT challenge.account_id, account.email, challenge.amr
    FROM sign_in_challenge challenge JOIN account ON account.id = challenge.account_id
    WHERE challenge.token_hash = ${sql.binary(hash)} AND challenge.tries < 5
      AND challenge.expires_at > now()`);
}

const TriesRow = z.object({ left: z.number() });

/** Counts a try before it is looked at; null if there was none left. */
export async function takeTry(connection: Connection, hash: Buffer): Promise<number | null> {
  return connection.maybeOneFirst(sql.type(TriesRow)`
    UPDATE sign_in_challenge SET tries = tries + 1
    WHERE token_hash = ${sql.binary(hash)} AND tries < 5 AND expires_at > now()
    RETURNING 5 - tries AS left`);
}

/** Uses the challenge up: of any number at once, one gets true. */
export async function consumeChallenge(connection: Connection, hash: Buffer): Promise<boolean> {
  const gone = await connection.query(sql.typeAlias('void')`
    DELETE FROM sign_in_challenge
    WHERE token_hash = ${sql.binary(hash)} AND expires_at > now()`);
  return gone.rowCount === 1;
}

export async function endChallenges(connection: Connection, accountId: string): Promise<void> {
  await connection.query(sql.typeAlias('void')`
    DELETE FROM sign_in_challenge WHERE account_id = ${accountId}`);
}

export async function sweepChallenges(connection: Connection): Promise<void> {
  await sweepOlder(connection, { table: 'sign_in_challenge', column: 'expires_at', age: '1 hour' });
}
