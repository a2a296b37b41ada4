import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { keyColumns, KeyRow } from '../store.ts';

/** Identifies a member of an organization. */
export interface Member {
  organization_id: string;
  account_id: string;
}

/** Returns a member's live keys that run in the organization or have a grant for it, newest first. */
export function listReachingKeys(
  db: Queryable,
  { organization_id, account_id }: Member,
  { limit, cursor }: { limit: number; cursor: string | null },
) {
  const granted = sql.jsonb([{ scope: { type: 'org', org_id: organization_id } }]);
  return db.any(sql.type(KeyRow)`
    SELECT ${keyColumns} FROM api_key
    WHERE account_id = ${account_id} AND revoked_at IS NULL
      AND (org_scope = ${organization_id} OR grants @> ${granted})
      AND (${cursor}::uuid IS NULL OR id < ${cursor}::uuid)
    ORDER BY id DESC LIMIT ${limit}`);
}

/** Returns whether a person is a member of an organization that is not deleted. */
export function isMember(db: Queryable, { organization_id, account_id }: Member): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM membership m JOIN organization o ON o.id = m.organization_id
    WHERE m.organization_id = ${organization_id} AND m.account_id = ${account_id}
      AND m.left_at IS NULL AND o.deleted_at IS NULL`);
}
