import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import type { EncryptedColumn } from '../../platform/postgres/reencrypt.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';

export const totpSeeds: EncryptedColumn<'account_id'> = {
  table: 'account_totp',
  column: 'seed',
  key: [['account_id', 'uuid']],
  bound: [],
  ownerOf: ({ account_id }) => account_id,
  label: 'totp',
};

const TotpRow = z.object({
  seed: z.instanceof(Buffer),
  last_step: z.number(),
  /** Database time in Unix seconds: codes are never checked against a gateway's clock. */
  now: z.number(),
});
export type TotpRow = z.infer<typeof TotpRow>;

const columns = sql.fragment`
  seed, last_step, floor(extract(epoch FROM clock_timestamp()))::bigint AS now`;

/** Starts a set-up, replacing an unfinished one; false if TOTP is on. */
export async function startTotp(
  connection: Connection,
  accountId: string,
  seed: Buffer,
): Promise<boolean> {
  const started = await connection.query(sql.typeAlias('void')`
    INSERT INTO account_totp (account_id, seed) VALUES (${accountId}, ${sql.binary(seed)})
    ON CONFLICT (account_id) DO UPDATE SET seed = EXCLUDED.seed, started_at = now()
    WHERE account_totp.confirmed_at IS NULL`);
  return started.rowCount === 1;
}

/** Returns an unconfirmed set-up that is at most ten minutes old. */
export async function findPendingTotp(
  connection: Connection,
  accountId: string,
): Promise<TotpRow | null> {
  return connection.maybeOne(sql.type(TotpRow)`
    SELECT ${columns} FROM account_totp
    WHERE account_id = ${accountId} AND confirmed_at IS NULL
      AND started_at > now() - interval '10 minutes'`);
}

export async function findTotp(connection: Connection, accountId: string): Promise<TotpRow | null> {
  return connection.maybeOne(sql.type(TotpRow)`
    SELECT ${columns} FROM account_totp
    WHERE account_id = ${accountId} AND confirmed_at IS NOT NULL`);
}

/** Turns TOTP on and saves the step of its first code, so that this code cannot be used again. */
export async function confirmTotp(
  connection: Connection,
  accountId: string,
  step: number,
): Promise<boolean> {
  const confirmed = await connection.query(sql.typeAlias('void')`
    UPDATE account_totp SET confirmed_at = now(), last_step = ${step}
    WHERE account_id = ${accountId} AND confirmed_at IS NULL`);
  return confirmed.rowCount === 1;
}

/** Consumes a time step; of concurrent calls only one returns true. */
export async function consumeStep(
  connection: Connection,
  accountId: string,
  step: number,
): Promise<boolean> {
  const moved = await connection.query(sql.typeAlias('void')`
    UPDATE account_totp SET last_step = ${step}
    WHERE account_id = ${accountId} AND confirmed_at IS NOT NULL AND last_step < ${step}`);
  return moved.rowCount === 1;
}

/** Removes TOTP; false if it was not on. */
export async function dropTotp(connection: Connection, accountId: string): Promise<boolean> {
  const deleted = await connection.query(sql.typeAlias('void')`
    DELETE FROM account_totp WHERE account_id = ${accountId} AND confirmed_at IS NOT NULL`);
  return deleted.rowCount === 1;
}

/** Removes TOTP that was confirmed at or after `since`, or a pending set-up started since then. */
export async function dropTotpSince(
  connection: Connection,
  { account_id, since }: { account_id: string; since: string },
): Promise<void> {
  await connection.query(sql.typeAlias('void')`
    DELETE FROM account_totp
    WHERE account_id = ${account_id} AND coalesce(confirmed_at, started_at) >= ${since}::timestamptz`);
}

/** Deletes set-ups that were never confirmed. */
export async function sweepTotp(connection: Connection): Promise<void> {
  await sweepOlder(connection, {
    table: 'account_totp',
    column: 'started_at',
    age: '1 day',
    where: sql.fragment`confirmed_at IS NULL`,
  });
}
