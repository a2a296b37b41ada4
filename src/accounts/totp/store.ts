import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { EncryptedColumn } from '../../platform/postgres/reencrypt.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';
import { addedSince } from '../added-since.ts';
import type { AddedSince } from '../added-since.ts';

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
export async function startTotp(db: Queryable, accountId: string, seed: Buffer): Promise<boolean> {
  const started = await db.query(sql.typeAlias('void')`
    INSERT INTO account_totp (account_id, seed) VALUES (${accountId}, ${sql.binary(seed)})
    ON CONFLICT (account_id) DO UPDATE SET seed = EXCLUDED.seed, started_at = now()
    WHERE account_totp.confirmed_at IS NULL`);
  return started.rowCount === 1;
}

/** Returns an unconfirmed set-up that is at most ten minutes old. */
export async function findPendingTotp(db: Queryable, accountId: string): Promise<TotpRow | null> {
  return db.maybeOne(sql.type(TotpRow)`
    SELECT ${columns} FROM account_totp
    WHERE account_id = ${accountId} AND confirmed_at IS NULL
      AND started_at > now() - interval '10 minutes'`);
}

export async function findTotp(db: Queryable, accountId: string): Promise<TotpRow | null> {
  return db.maybeOne(sql.type(TotpRow)`
    SELECT ${columns} FROM account_totp
    WHERE account_id = ${accountId} AND confirmed_at IS NOT NULL`);
}

/** Turns TOTP on and saves the step of its first code, so that this code cannot be used again. */
export async function confirmTotp(
  db: Queryable,
  accountId: string,
  step: number,
): Promise<boolean> {
  const confirmed = await db.query(sql.typeAlias('void')`
    UPDATE account_totp SET confirmed_at = now(), last_step = ${step}
    WHERE account_id = ${accountId} AND confirmed_at IS NULL`);
  return confirmed.rowCount === 1;
}

/** Consumes a time step; of concurrent calls only one returns true. */
export async function consumeStep(
  db: Queryable,
  accountId: string,
  step: number,
): Promise<boolean> {
  const moved = await db.query(sql.typeAlias('void')`
    UPDATE account_totp SET last_step = ${step}
    WHERE account_id = ${accountId} AND confirmed_at IS NOT NULL AND last_step < ${step}`);
  return moved.rowCount === 1;
}

const ConfirmedRow = z.object({ confirmed_at: z.string() });

/** Removes TOTP. Returns since when it was on; null if it was not. */
export function dropTotp(db: Queryable, accountId: string): Promise<string | null> {
  return db.maybeOneFirst(sql.type(ConfirmedRow)`
    DELETE FROM account_totp WHERE account_id = ${accountId} AND confirmed_at IS NOT NULL
    RETURNING confirmed_at`);
}

const DroppedRow = z.object({ account_id: z.string() });

/**
 * Removes TOTP that was confirmed at or after `since`, or a pending set-up started since then. Returns
 * the accounts in which it was on.
 */
export async function dropTotpSince(
  db: Queryable,
  added: readonly AddedSince[],
): Promise<readonly { account_id: string }[]> {
  const dropped = await db.any(sql.type(DroppedRow.extend({ was_on: z.boolean() }))`
    DELETE FROM account_totp t USING ${addedSince(added)}
    WHERE t.account_id = added.account_id
      AND coalesce(t.confirmed_at, t.started_at) >= added.since
    RETURNING t.account_id, t.confirmed_at IS NOT NULL AS was_on`);
  return dropped.filter(({ was_on }) => was_on);
}

/** Deletes set-ups that were never confirmed. */
export async function sweepTotp(db: Queryable): Promise<void> {
  await sweepOlder(db, {
    table: 'account_totp',
    column: 'started_at',
    age: '1 day',
    where: sql.fragment`confirmed_at IS NULL`,
  });
}
