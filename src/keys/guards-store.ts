import { z } from 'zod';
import { sql } from '../platform/postgres/database.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { ownedBy, timestampOf } from './store.ts';
import type { KeyOwner } from './store.ts';

export function countKeys(db: Queryable, owner: KeyOwner): Promise<number> {
  return db.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*) FROM api_key WHERE ${ownedBy(owner)} AND revoked_at IS NULL`);
}

export async function isNameTaken(
  db: Queryable,
  key: { owner: KeyOwner; name: string; except: string | null },
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM api_key
    WHERE ${ownedBy(key.owner)} AND name = ${key.name} AND revoked_at IS NULL
      AND id IS DISTINCT FROM ${key.except}::uuid`);
}

/** Returns whether a timestamp is past by the database's clock, which also decides expiry. */
export function isPast(db: Queryable, text: string): Promise<boolean> {
  return db.oneFirst(sql.type(z.object({ past: z.boolean() }))`
    SELECT ${timestampOf(text)} <= now() AS past`);
}
