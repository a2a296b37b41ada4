import { sql } from './database.ts';
import type { Queryable } from './database.ts';
import { sweepOlder } from './sweep.ts';

export interface SingleUse {
  kind: 'captcha' | 'captcha_passed' | 'saml_assertion';
  hash: Buffer;
  /** Until when a second use must be recognized; null: for `seconds` from now. */
  expires_at: string | null;
  seconds?: number;
}

const DAY_SECONDS = 86_400;

/**
 * Records the use of something that may be used once; false if it was used before. Of concurrent
 * calls only one returns true.
 */
export async function useOnce(db: Queryable, used: SingleUse): Promise<boolean> {
  const { kind, hash, expires_at, seconds = DAY_SECONDS } = used;
  const { rowCount } = await db.query(sql.typeAlias('void')`
    INSERT INTO used_once (kind, hash, expires_at)
    VALUES (${kind}, ${sql.binary(hash)},
      coalesce(${expires_at}::timestamptz, now() + make_interval(secs => ${seconds})))
    ON CONFLICT DO NOTHING`);
  return rowCount === 1;
}

/** Deletes what has expired. */
export async function sweepUsedOnce(db: Queryable): Promise<void> {
  await sweepOlder(db, { table: 'used_once', column: 'expires_at', age: '1 hour' });
}
