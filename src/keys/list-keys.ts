import type { ListQuery } from '../platform/http/list-query.ts';
import { sql } from '../platform/postgres/database.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import { positioned, sortedPage } from '../platform/postgres/sorted-rows.ts';
import { keyColumns, KeyRow, ownedBy } from './store.ts';
import type { KeyOwner } from './store.ts';

const keyOrder = {
  ...{ id: sql.fragment`id`, name: sql.fragment`name` },
  ...{ last_used_at: sql.fragment`last_used_at`, created_at: sql.fragment`created_at` },
};

/** What a list of keys may be asked for. */
export interface KeyListQuery extends ListQuery {
  /** Keys that are bound to this team; those that follow teams are not. */
  team_id?: string | undefined;
}

/** Returns a page of live keys for `toRowsPage`. */
export function listKeys(db: Queryable, owner: KeyOwner, query: KeyListQuery) {
  const { team_id } = query;
  const { position, conditions, order } = sortedPage(
    team_id === undefined ? keyOrder : { ...keyOrder, equalIds: [sql.fragment`bound.key_id`] },
    query,
  );
  const bound =
    team_id === undefined
      ? sql.fragment``
      : sql.fragment`
          JOIN (SELECT key_id FROM api_key_team WHERE team_id = ${team_id}) bound
            ON bound.key_id = api_key.id AND NOT follows_teams`;
  return db.any(sql.type(positioned(KeyRow))`
    SELECT ${keyColumns}, ${position} FROM api_key ${bound}
    WHERE ${ownedBy(owner)} AND revoked_at IS NULL ${conditions} ${order}`);
}
