import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import { ConnectionRow } from './store.ts';

const AuthorityRow = ConnectionRow.pick({
  id: true,
  organization_id: true,
  scopes: true,
  follows_teams: true,
  has_own_authority: true,
});
export type AuthorityRow = z.infer<typeof AuthorityRow>;

const columns = sql.fragment`id, organization_id, scopes, follows_teams, has_own_authority`;

/** Lists what a person's live connections, or the one with this id, may do. */
export function listAuthority(connection: Connection, account_id: string, id: string | null) {
  return connection.any(sql.type(AuthorityRow)`
    SELECT ${columns} FROM oauth_connection
    WHERE account_id = ${account_id} AND revoked_at IS NULL
      AND (${id}::uuid IS NULL OR id = ${id}::uuid)`);
}

/** Returns what a live machine connection of an organization may do; null if there is none. */
export function findMachineAuthority(
  connection: Connection,
  { organization_id, id }: { organization_id: string; id: string },
) {
  return connection.maybeOne(sql.type(AuthorityRow)`
    SELECT ${columns} FROM oauth_connection
    WHERE organization_id = ${organization_id} AND id = ${id} AND kind = 'machine'
      AND revoked_at IS NULL`);
}

const IdRow = z.object({ id: z.string() });

/** Returns the live connections of a person that are bound to a team, or one of them. */
export function listBoundConnections(
  connection: Connection,
  seat: { team_id: string; account_id: string },
  id: string | null,
) {
  return connection.anyFirst(sql.type(IdRow)`
    SELECT c.id FROM oauth_connection_team b
    JOIN oauth_connection c ON c.id = b.connection_id AND c.revoked_at IS NULL
    JOIN membership m ON m.account_id = c.account_id AND m.organization_id = b.organization_id
    WHERE b.team_id = ${seat.team_id} AND c.account_id = ${seat.account_id}
      AND (${id}::uuid IS NULL OR c.id = ${id}::uuid)`);
}
