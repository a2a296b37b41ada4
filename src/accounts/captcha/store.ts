import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import { sweepOlder } from '../../platform/postgres/sweep.ts';
import type { Proof } from './captcha.ts';

const SPENT = 'captcha';
const PASSED = 'captcha_passed';

const Found = z.object({ found: z.boolean() });
const Now = z.object({ now: z.string() });

export async function readNow(connection: Connection): Promise<Date> {
  return new Date(await connection.oneFirst(sql.type(Now)`SELECT now() AS now`));
}

/** Neither too old nor spent; of a spent one the row outlives the age. */
export async function isSpendable(connection: Connection, proof: Proof): Promise<boolean> {
  const { found } = await connection.one(sql.type(Found)`
    SELECT coalesce(${proof.expires_at}::timestamptz > now(), true) AND NOT EXISTS (
      SELECT FROM used_once WHERE kind = ${SPENT} AND hash = ${sql.binary(proof.hash)}) AS found`);
  return found;
}

/** False if it was spent before; of any number at once, one spends it. */
export async function spend(connection: Connection, proof: Proof): Promise<boolean> {
  const row = await connection.maybeOne(sql.type(Found)`
    INSERT INTO used_once (kind, hash, expires_at)
    VALUES (${SPENT}, ${sql.binary(proof.hash)},
      coalesce(${proof.expires_at}::timestamptz, now() + interval '1 day'))
    ON CONFLICT DO NOTHING RETURNING true AS found`);
  return row !== null;
}

/** The provider has passed it less than five minutes ago. */
export async function isPassed(connection: Connection, hash: Buffer): Promise<boolean> {
  const { found } = await connection.one(sql.type(Found)`
    SELECT EXISTS (SELECT FROM used_once WHERE kind = ${PASSED} AND hash = ${sql.binary(hash)}
      AND expires_at > now()) AS found`);
  return found;
}

export async function rememberPassed(connection: Connection, hash: Buffer): Promise<void> {
  await connection.query(sql.typeAlias('void')`
    INSERT INTO used_once (kind, hash, expires_at)
    VALUES (${PASSED}, ${sql.binary(hash)}, now() + interval '5 minutes')
    ON CONFLICT DO NOTHING`);
}

/** Proofs whose challenge has expired anyway. */
export async function sweepProofs(connection: Connection): Promise<void> {
  await sweepOlder(connection, { table: 'used_once', column: 'expires_at', age: '1 hour' });
}
