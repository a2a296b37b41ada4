import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { useOnce } from '../../platform/postgres/used-once.ts';
import type { Proof } from './captcha.ts';

const USED_TOKEN = 'captcha';
const VERIFIED_TOKEN = 'captcha_passed';

const Now = z.object({ now: z.string() });

export async function readDatabaseTime(db: Queryable): Promise<Date> {
  return new Date(await db.oneFirst(sql.type(Now)`SELECT now() AS now`));
}

/**
 * Returns whether the proof is neither expired nor spent; a spent proof's row outlives its expiry.
 */
export async function isSpendable(db: Queryable, proof: Proof): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT WHERE coalesce(${proof.expires_at}::timestamptz > now(), true) AND NOT EXISTS (
      SELECT FROM used_once WHERE kind = ${USED_TOKEN} AND hash = ${sql.binary(proof.hash)})`);
}

/** Spends the proof; false if it was spent before. Of concurrent calls only one returns true. */
export const spend = (db: Queryable, { hash, expires_at }: Proof): Promise<boolean> =>
  useOnce(db, { kind: USED_TOKEN, hash, expires_at });

/** Returns whether the provider accepted the token less than five minutes ago. */
export async function wasVerified(db: Queryable, hash: Buffer): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM used_once WHERE kind = ${VERIFIED_TOKEN} AND hash = ${sql.binary(hash)}
      AND expires_at > now()`);
}

export async function rememberVerified(db: Queryable, hash: Buffer): Promise<void> {
  await useOnce(db, { kind: VERIFIED_TOKEN, hash, expires_at: null, seconds: 300 });
}
