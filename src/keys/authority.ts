import type { z } from 'zod';
import { sql } from '../platform/postgres/database.ts';
import type { Connection } from '../platform/postgres/database.ts';
import { KeyRow, ownedBy } from './store.ts';
import type { KeyOwner } from './store.ts';

const AuthorityRow = KeyRow.pick({
  id: true,
  grants: true,
  mcp_capabilities: true,
  org_scope: true,
  follows_teams: true,
});
export type AuthorityRow = z.infer<typeof AuthorityRow>;

/** Lists what an owner's live keys, or the one with this id, may do; for projection to tuples. */
export function listAuthority(
  connection: Connection,
  { owner, id }: { owner: KeyOwner; id: string | null },
) {
  return connection.any(sql.type(AuthorityRow)`
    SELECT id, grants, mcp_capabilities, org_scope, follows_teams FROM api_key
    WHERE ${ownedBy(owner)} AND revoked_at IS NULL
      AND (${id}::uuid IS NULL OR id = ${id}::uuid)`);
}
