import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';

const TeamName = z.object({ id: z.string(), name: z.string() });
export type TeamName = z.infer<typeof TeamName>;

/** Returns the name of an organization that is not deleted. */
export const findOrganizationName = (db: Queryable, id: string): Promise<string | null> =>
  db.maybeOneFirst(sql.type(TeamName.pick({ name: true }))`
    SELECT name FROM organization WHERE id = ${id} AND deleted_at IS NULL`);

// More than an organization can have.
const MAX_TEAMS = 1_000;

/** Returns the names of these teams of an organization, or of all if `ids` is null. */
export async function listTeamNames(
  db: Queryable,
  organization_id: string,
  ids: readonly string[] | null,
): Promise<readonly TeamName[]> {
  if (ids?.length === 0) return [];
  return db.any(sql.type(TeamName)`
    SELECT id, coalesce(nullif(title, ''), name) AS name FROM team
    WHERE organization_id = ${organization_id} AND deleted_at IS NULL
      AND ${ids === null ? sql.fragment`true` : sql.fragment`id = ANY(${sql.array([...ids], 'uuid')})`}
    ORDER BY name, id LIMIT ${MAX_TEAMS}`);
}
