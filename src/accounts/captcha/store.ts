import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';
import type { Proof } from './captcha.ts';

const USED_TOKEN = 'captcha';
const VERIFIED_TOKEN = 'captcha_passed';

const Now = z.object({ now: z.string() });

export async function readDatabaseTime(connection: Connection): Promise<Date> {
  return new Date(await connection.oneFirst(sql.type(Now)`SELECT now() AS now`));
}

/**
 * Returns whether the proof is neither expired nor spent; a spent proof's row outlives its expiry.
 */
export async function isSpendable(connection: Connection, proof: Proof): Promise<boolean> {
  return connection.exists(sql.typeAlias('void')`
    SELECT WHERE coalesce(${proof.expires_at}::timestamptz > now(), true) AND NOT EXISTS (
      SELECT FROM used_once WHERE kind = ${USED_TOKEN} AND hash = ${sql.binary(proof.hash)})`);
}

/** Spends the proof; false if it was spent before. Of concurrent calls only one returns true. */
export async function spend(connection: Connection, proof: Proof): Promise<boolean> {
  const { rowCount } = await connection.query(sql.typeAlias('void')`
    INSERT INTO used_once (kind, hash, expires_at)
    VALUES (${USED_TOKEN}, ${sql.binary(proof.hash)},
      coalesce(${proof.expires_at}::timestamptz, now() + interval '1 day'))
    ON CONFLICT DO NOTHING`);
  return rowCount === 1;
}

/** Returns whether the provider accepted the token less than five minutes ago. */
export async function wasVerified(connection: Connection, hash: Buffer): Promise<boolean> {
  return connection.exists(sql.typeAlias('void')`
    SELECT FROM used_once WHERE kind = ${VERIFIED_TOKEN} AND hash = ${sql.binary(hash)}
      AND expires_at > now()`);
}

export async function rememberVerified(connection: Connection, hash: Buffer): Promise<void> {
  await connection.query(sql.typeAlias('void')`
    INSERT INTO used_once (kind, hash, expires_at)
    VALUES (${VERIFIED_TOKEN}, ${sql.binary(hash)}, now() + interval '5 minutes')
    ON CONFLICT DO NOTHING`);
}

/** Deletes expired proofs. */
export async function sweepProofs(connection: Connection): Promise<void> {
  await sweepOlder(connection, { table: 'used_once', column: 'expires_at', age: '1 hour' });
}
