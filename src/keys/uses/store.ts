import { z } from 'zod';
import type { Family } from '../../content/items/schema.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { ownItemLists } from '../../policies/policy.ts';
import { keyColumns, KeyRow, ownedBy } from '../store.ts';
import type { KeyOwner } from '../store.ts';

const NamingRow = KeyRow.extend({ in_policy: z.boolean() });

/** Returns the newest live keys of an owner that name an item, and whether a policy of theirs does. */
export function listKeysNaming(
  db: Queryable,
  owner: KeyOwner,
  { family, id, limit }: { family: Family; id: string; limit: number },
) {
  return db.any(sql.type(NamingRow)`
    SELECT ${keyColumns}, ${isInPolicy(family, id)} AS in_policy FROM api_key
    WHERE ${ownedBy(owner)} AND revoked_at IS NULL
      AND (${isInPolicy(family, id)} OR default_agent_id = ${id})
    ORDER BY id DESC LIMIT ${limit}`);
}

/** Whether a policy lists the item; those of keys in organizations do not apply (K1). */
function isInPolicy(family: Family, id: string) {
  if (family === 'resource') return sql.fragment`false`;
  const [policy, list] = ownItemLists[family];
  return sql.fragment`(runs_in IS NULL
    AND coalesce(${sql.identifier([policy])}->${list}::text ? ${id}::text, false))`;
}
