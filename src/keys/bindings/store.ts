import { z } from 'zod';
import { managesEveryTeam } from '../../organizations/organizations.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Connection, Transaction } from '../../platform/postgres/database.ts';
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
export function listTeamsOf(connection: Connection, keyIds: readonly string[]) {
  return connection.any(sql.type(TeamRow)`
    SELECT k.id AS key_id, t.id, t.name, t.policies_size,
      o.id IS NOT NULL AND (k.organization_id IS NOT NULL
        OR m.id IS NOT NULL AND (s.team_id IS NOT NULL OR ${managesEveryTeam})) AS available
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
export function listTeamPolicies(connection: Connection, teamIds: readonly string[]) {
  return connection.any(sql.type(PoliciesRow)`
    SELECT id, tool_policy, resource_policy, prompt_policy, agent_policy FROM team
    WHERE id = ANY(${sql.array([...teamIds], 'uuid')}) AND deleted_at IS NULL`);
}

/** Binds a key to exactly these teams of its organization; with null, to none. */
export async function replaceBindings(
  transaction: Transaction,
  key: { id: string; organization_id: string },
  team_ids: readonly string[] | null,
): Promise<void> {
  // Bindings to deleted teams are removed together with the teams.
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM api_key_team WHERE key_id = ${key.id}
      AND team_id IN (SELECT id FROM team WHERE deleted_at IS NULL)`);
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO api_key_team (key_id, organization_id, team_id)
    SELECT ${key.id}, ${key.organization_id}, team_id
    FROM unnest(${sql.array([...(team_ids ?? [])], 'uuid')}) AS team_id`);
}

/** Ends the bindings of these people's keys to a team. */
export async function removeBindings(
  transaction: Transaction,
  team_id: string,
  account_ids: readonly string[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM api_key_team WHERE team_id = ${team_id} AND key_id IN (
      SELECT id FROM api_key WHERE account_id = ANY(${sql.array([...account_ids], 'uuid')}))`);
}

const IdRow = z.object({ id: z.string() });
const BindingRow = z.object({ team_id: z.string() });

/** Returns the teams that a key is bound to, including deleted ones that are not removed yet. */
export function listBindings(connection: Connection, key_id: string): Promise<readonly string[]> {
  return connection.anyFirst(sql.type(BindingRow)`
    SELECT team_id FROM api_key_team WHERE key_id = ${key_id} ORDER BY team_id`);
}

/** Returns the live keys of a person that are bound to a team, or one of them. */
export function listBoundKeys(
  connection: Connection,
  seat: { team_id: string; account_id: string },
  id: string | null,
) {
  return connection.anyFirst(sql.type(IdRow)`
    SELECT k.id FROM api_key_team b
    JOIN api_key k ON k.id = b.key_id AND k.revoked_at IS NULL
    JOIN membership m ON m.account_id = k.account_id AND m.organization_id = b.organization_id
    WHERE b.team_id = ${seat.team_id} AND k.account_id = ${seat.account_id}
      AND (${id}::uuid IS NULL OR k.id = ${id}::uuid)`);
}
