import { z } from 'zod';
import { sql } from '../../../platform/postgres/database.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { connectionColumns, ConnectionRow } from '../store.ts';

const WiderRow = ConnectionRow.extend({
  /**
   * The teams that it keeps: its own that its client also has or, if it follows teams, those of its
   * client that its person has joined.
   */
  kept_team_ids: z.array(z.string()),
});

/** People's live connections with teams that their clients are not bound to. */
const wider = sql.fragment`
  FROM oauth_connection c
  JOIN oauth_client o ON o.id = c.client_id AND NOT o.follows_teams
  WHERE c.kind = 'delegated' AND c.organization_id IS NOT NULL AND c.revoked_at IS NULL
    AND (c.follows_teams OR EXISTS (
      SELECT FROM oauth_connection_team b WHERE b.connection_id = c.id AND NOT EXISTS (
        SELECT FROM oauth_client_team x WHERE x.client_id = o.id AND x.team_id = b.team_id)))`;

/** Returns a connection that has teams beyond those of its client; null if it has none. */
export function findWider(db: Queryable, id: string) {
  return db.maybeOne(sql.type(WiderRow)`
    SELECT ${connectionColumns}, ARRAY(
      SELECT x.team_id FROM oauth_client_team x
      WHERE x.client_id = o.id AND CASE WHEN c.follows_teams
        THEN EXISTS (
          SELECT FROM team_member s JOIN membership m ON m.id = s.membership_id
          WHERE s.team_id = x.team_id AND m.account_id = c.account_id)
        ELSE EXISTS (
          SELECT FROM oauth_connection_team b
          WHERE b.connection_id = c.id AND b.team_id = x.team_id) END
      ORDER BY x.team_id) AS kept_team_ids
    ${wider} AND c.id = ${id}`);
}

const IdRow = z.object({ id: z.string() });

/** Returns up to `limit` connections of a client that have teams beyond those of the client. */
export function listWider(db: Queryable, client_id: string, limit: number) {
  return db.anyFirst(sql.type(IdRow)`
    SELECT c.id ${wider} AND c.client_id = ${client_id} ORDER BY c.id LIMIT ${limit}`);
}
