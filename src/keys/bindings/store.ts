import { z } from 'zod';
import { managesEveryTeamSql } from '../../organizations/organizations.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { Policies } from '../schema.ts';

const TeamRow = z.object({
  key_id: z.string(),
  id: z.string(),
  name: z.string(),
  available: z.boolean(),
  /** Bytes of its policies. */
  policies_size: z.number(),
});
/** A team of a key, without its policies, which many keys may share. */
export type TeamRow = z.infer<typeof TeamRow>;

const PoliciesRow = Policies.extend({ id: z.string() });

/**
 * Returns the teams of keys in organizations, sorted by name: the ones that a key is bound to or
 * follows. A team of a person's key is available while the person has access to it; the others come
 * last, so that their place does not reveal their names.
 */
export function listTeamsOf(db: Queryable, keyIds: readonly string[]) {
  return db.any(sql.type(TeamRow)`
    SELECT k.id AS key_id, t.id, t.name, t.policies_size,
      o.id IS NOT NULL AND (k.organization_id IS NOT NULL
        OR m.id IS NOT NULL AND (s.team_id IS NOT NULL OR ${managesEveryTeamSql})) AS available
    FROM api_key k
    LEFT JOIN organization o ON o.id = k.runs_in AND o.deleted_at IS NULL
    LEFT JOIN membership m ON m.account_id = k.account_id AND m.organization_id = k.org_scope
      AND m.left_at IS NULL
    JOIN team t ON t.organization_id = k.runs_in AND t.deleted_at IS NULL
    LEFT JOIN team_member s ON s.team_id = t.id AND s.membership_id = m.id
    LEFT JOIN api_key_team b ON b.team_id = t.id AND b.key_id = k.id
    WHERE k.id = ANY(${sql.array([...keyIds], 'uuid')})
      AND CASE WHEN k.follows_teams
        THEN o.id IS NOT NULL AND (s.team_id IS NOT NULL OR k.organization_id IS NOT NULL)
        ELSE b.team_id IS NOT NULL END
    ORDER BY k.id, available DESC, t.name`);
}

/** Returns the policies of these teams; those of deleted teams are missing. */
export function listTeamPolicies(db: Queryable, teamIds: readonly string[]) {
  return db.any(sql.type(PoliciesRow)`
    SELECT id, tool_policy, resource_policy, prompt_policy, agent_policy FROM team
    WHERE id = ANY(${sql.array([...teamIds], 'uuid')}) AND deleted_at IS NULL`);
}
