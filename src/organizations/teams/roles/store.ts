import { z } from 'zod';
import { capabilities } from '../../../authz/permissions.ts';
import { sql } from '../../../platform/postgres/database.ts';
import type { Connection, Transaction } from '../../../platform/postgres/database.ts';
import { withFallbackOnViolation } from '../../../platform/postgres/violation.ts';
import { foldCase } from '../../../platform/text/fold-case.ts';
import type { NamedRole } from '../../roles/kind.ts';
import { deletedColumns, editedColumns } from '../../rows.ts';
import type { RoleDraft } from '../../roles/schema.ts';

/** The owner of roles: a team, or the organization for all its teams if `team_id` is null. */
export interface RoleOwner {
  organization_id: string;
  team_id: string | null;
}

/** Identifies a role and its owner. */
export interface OwnedRole extends RoleOwner {
  role_id: string;
}

const RoleRow = z.object({
  id: z.string(),
  organization_id: z.string(),
  team_id: z.string().nullable(),
  name: z.string(),
  description: z.string(),
  permissions: z.array(z.string()),
  capabilities: z.array(z.enum(capabilities)),
});
export type TeamRoleRow = z.infer<typeof RoleRow>;

const columns = sql.fragment`id, organization_id, team_id, name, description, permissions,
  capabilities`;

const ContentRow = RoleRow.omit({ team_id: true, name: true, description: true });

/** Returns custom roles by id, of any organization and even deleted, for projection to tuples. */
export function findTeamRoles(connection: Connection, ids: readonly string[]) {
  return connection.any(sql.type(ContentRow)`
    SELECT id, organization_id, permissions, capabilities FROM team_role WHERE id = ANY(${sql.array([...ids], 'uuid')})`);
}

/** Lists the custom roles that a team can use, or the roles for all teams; oldest first. */
export function listTeamRoles(
  connection: Connection,
  { organization_id, team_id }: RoleOwner,
  ids: readonly string[] | null = null,
) {
  return connection.any(sql.type(RoleRow)`
    SELECT ${columns} FROM team_role
    WHERE organization_id = ${organization_id} AND deleted_at IS NULL
      AND (team_id IS NULL OR team_id = ${team_id}::uuid)
      AND (${ids === null} OR id = ANY(${sql.array([...(ids ?? [])], 'uuid')}))
    ORDER BY id`);
}

/**
 * Returns the ids of all custom roles of a team, or of an organization and its teams, including
 * deleted ones.
 */
export function listTeamRoleIds(
  connection: Connection,
  owner: { team_id: string } | { organization_id: string },
) {
  const condition =
    'team_id' in owner
      ? sql.fragment`team_id = ${owner.team_id}`
      : sql.fragment`organization_id = ${owner.organization_id}`;
  return connection.anyFirst(sql.type(RoleRow.pick({ id: true }))`
    SELECT id FROM team_role WHERE ${condition} ORDER BY id`);
}

/** Returns the ids of the deleted roles that a role replaces. */
export function listReplacedBy(
  connection: Connection,
  { id, organization_id }: { id: string; organization_id: string },
) {
  return connection.anyFirst(sql.type(RoleRow.pick({ id: true }))`
    SELECT id FROM team_role WHERE organization_id = ${organization_id} AND replaced_by = ${id}`);
}

const HoldersRow = z.object({ role_id: z.string(), members: z.number() });

/**
 * Counts the people who have each role in the team, or in all teams. A person counts once for each
 * team; unused roles are left out.
 */
export async function countTeamHolders(
  connection: Connection,
  { organization_id, team_id }: RoleOwner,
): Promise<ReadonlyMap<string, number>> {
  const rows = await connection.any(sql.type(HoldersRow)`
    SELECT coalesce(c.replaced_by, r.role_id) AS role_id,
      count(DISTINCT (r.team_id, r.membership_id)) AS members
    FROM team_member_role r
    JOIN team t ON t.id = r.team_id AND t.deleted_at IS NULL
    LEFT JOIN team_role c ON c.id = r.custom_role_id
    WHERE r.organization_id = ${organization_id}
      AND (${team_id}::uuid IS NULL OR r.team_id = ${team_id}::uuid)
    GROUP BY 1`);
  return new Map(rows.map(({ role_id, members }) => [role_id, members]));
}

/** The ids of a role and of the deleted roles that it replaces. */
const idsOf = ({ id, organization_id }: { id: string; organization_id: string }) => sql.fragment`
  SELECT ${id}::uuid UNION ALL SELECT id FROM team_role
  WHERE organization_id = ${organization_id} AND replaced_by = ${id}`;

/**
 * Counts the people who have one role in the team, or in all teams, once for each team. Includes
 * those who are to get it for a deleted one.
 */
export function countTeamHoldersOf(
  connection: Connection,
  { organization_id, team_id, role_id }: OwnedRole,
): Promise<number> {
  return connection.oneFirst(sql.type(HoldersRow.pick({ members: true }))`
    SELECT count(DISTINCT (r.team_id, r.membership_id)) AS members
    FROM team_member_role r JOIN team t ON t.id = r.team_id AND t.deleted_at IS NULL
    WHERE r.organization_id = ${organization_id}
      AND r.role_id IN (${idsOf({ id: role_id, organization_id })})
      AND (${team_id}::uuid IS NULL OR r.team_id = ${team_id}::uuid)`);
}

/** Returns the teams in which someone has a role, or is to get it for a deleted one. */
export function listTeamsOfRole(
  connection: Connection,
  role: { organization_id: string; id: string },
): Promise<readonly string[]> {
  return connection.anyFirst(sql.type(z.object({ team_id: z.string() }))`
    SELECT DISTINCT r.team_id
    FROM team_member_role r JOIN team t ON t.id = r.team_id AND t.deleted_at IS NULL
    WHERE r.organization_id = ${role.organization_id} AND r.role_id IN (${idsOf(role)})
    ORDER BY r.team_id`);
}

/**
 * Returns whether another role of the organization, shared or of one team, has the name. Deleted
 * roles and those of deleted teams do not count.
 */
export function isTeamRoleNamed(
  connection: Connection,
  {
    organization_id,
    name,
    except,
  }: { organization_id: string; name: string; except: string | null },
): Promise<boolean> {
  return connection.exists(sql.typeAlias('void')`
    SELECT FROM team_role r LEFT JOIN team t ON t.id = r.team_id
    WHERE r.organization_id = ${organization_id} AND r.deleted_at IS NULL AND t.deleted_at IS NULL
      AND r.folded_name = ${foldCase(name)} AND r.id IS DISTINCT FROM ${except}::uuid`);
}

/** Inserts a role; returns null if another role of the owner has its name. */
export function insertTeamRole(
  transaction: Transaction,
  { id, organization_id, team_id }: RoleOwner & { id: string },
  draft: RoleDraft,
): Promise<TeamRoleRow | null> {
  return nullIfNameTaken(
    transaction.one(sql.type(RoleRow)`
      INSERT INTO team_role (id, organization_id, team_id, name, folded_name, description,
        permissions, capabilities)
      VALUES (${id}, ${organization_id}, ${team_id}, ${draft.name}, ${foldCase(draft.name)},
        ${draft.description}, ${sql.array(draft.permissions, 'text')}, ${sql.array(draft.capabilities, 'text')})
      RETURNING ${columns}`),
  );
}

/**
 * Replaces the content of a role and of the deleted roles that it replaces; returns null if another
 * role of the owner has the name.
 */
export function updateTeamRole(
  transaction: Transaction,
  { id, organization_id }: { id: string; organization_id: string },
  edit: RoleDraft,
): Promise<readonly TeamRoleRow[] | null> {
  return nullIfNameTaken(
    transaction.many(sql.type(RoleRow)`
      UPDATE team_role SET ${editedColumns(edit)}
      WHERE organization_id = ${organization_id} AND (id = ${id} OR replaced_by = ${id})
      RETURNING ${columns}`),
  );
}

const nullIfNameTaken = <Result>(statement: Promise<Result>) =>
  withFallbackOnViolation(statement, ['team_role_name_unique'], null);

/** Replaces a role with another one, or with none; also the deleted roles that it replaces. */
export async function markTeamRoleDeleted(
  transaction: Transaction,
  { id, organization_id }: { id: string; organization_id: string },
  replacement: NamedRole | null,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE team_role SET ${deletedColumns(replacement)}
    WHERE organization_id = ${organization_id} AND (id = ${id} OR replaced_by = ${id})`);
}

const KeyRow = RoleRow.pick({ id: true, organization_id: true });

/** Returns deleted roles that are not removed yet, oldest deletion first. */
export function listDeletedTeamRoles(connection: Connection, limit: number) {
  return connection.any(sql.type(KeyRow)`
    SELECT id, organization_id FROM team_role
    WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT ${limit}`);
}

/** Deletes the given custom roles, except those that members have. */
export async function deleteTeamRoles(
  transaction: Transaction,
  ids: readonly string[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM team_role c
    WHERE id = ANY(${sql.array([...ids], 'uuid')})
      AND NOT EXISTS (SELECT FROM team_member_role r
        WHERE r.role_owner_id = c.owner_id AND r.custom_role_id = c.id)`);
}
