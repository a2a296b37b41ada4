import { z } from 'zod';
import { capabilities, everyTeamGrant } from '../../authz/permissions.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Connection, Transaction } from '../../platform/postgres/database.ts';
import { withFallbackOnViolation } from '../../platform/postgres/violation.ts';
import { foldCase } from '../../platform/text/fold-case.ts';
import { deletedColumns, editedColumns } from '../rows.ts';
import type { NamedRole } from './kind.ts';
import type { RoleDraft } from './schema.ts';
import { organizationRoles } from './system.ts';

/** Identifies a role and its organization. */
export interface RoleKey {
  id: string;
  organization_id: string;
}

const RoleRow = z.object({
  id: z.string(),
  organization_id: z.string(),
  name: z.string(),
  description: z.string(),
  permissions: z.array(z.string()),
  capabilities: z.array(z.enum(capabilities)),
});
export type RoleRow = z.infer<typeof RoleRow>;

const columns = sql.fragment`id, organization_id, name, description, permissions, capabilities`;

const ContentRow = RoleRow.omit({ name: true, description: true });

/** Returns custom roles by id, of any organization and even deleted, for projection to tuples. */
export function findRoles(connection: Connection, ids: readonly string[]) {
  return connection.any(sql.type(ContentRow)`
    SELECT id, organization_id, permissions, capabilities FROM organization_role WHERE id = ANY(${sql.array([...ids], 'uuid')})`);
}

/** Returns the custom roles of the organization that have these ids. */
export function findCustomRoles(
  connection: Connection,
  organization_id: string,
  ids: readonly string[],
) {
  return connection.any(sql.type(RoleRow)`
    SELECT ${columns} FROM organization_role
    WHERE organization_id = ${organization_id} AND id = ANY(${sql.array([...ids], 'uuid')})
      AND deleted_at IS NULL`);
}

/** Lists the custom roles of an organization, oldest first. */
export function listCustomRoles(connection: Connection, organization_id: string) {
  return connection.any(sql.type(RoleRow)`
    SELECT ${columns} FROM organization_role
    WHERE organization_id = ${organization_id} AND deleted_at IS NULL ORDER BY id`);
}

const IdRow = RoleRow.pick({ id: true });

/** Returns the ids of all custom roles of an organization, including deleted ones. */
export function listRoleIds(connection: Connection, organization_id: string) {
  return connection.anyFirst(sql.type(IdRow)`
    SELECT id FROM organization_role WHERE organization_id = ${organization_id} ORDER BY id`);
}

/** Returns the ids of the deleted roles that a role replaces. */
export function listReplacedBy(connection: Connection, { id, organization_id }: RoleKey) {
  return connection.anyFirst(sql.type(IdRow)`
    SELECT id FROM organization_role
    WHERE organization_id = ${organization_id} AND replaced_by = ${id}`);
}

const HoldersRow = z.object({ role_id: z.string(), members: z.number() });

/** Counts the members of each role of an organization; roles without members are missing. */
export async function countHolders(
  connection: Connection,
  organization_id: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await connection.any(sql.type(HoldersRow)`
    SELECT coalesce(c.replaced_by, r.role_id) AS role_id,
      count(DISTINCT r.membership_id) AS members
    FROM membership_role r LEFT JOIN organization_role c ON c.id = r.custom_role_id
    WHERE r.organization_id = ${organization_id} GROUP BY 1`);
  return new Map(rows.map(({ role_id, members }) => [role_id, members]));
}

const CountRow = HoldersRow.pick({ members: true });

/** Counts the members of one role, including those who are to get it for a deleted one. */
export function countHoldersOf(
  connection: Connection,
  { id, organization_id }: RoleKey,
): Promise<number> {
  return connection.oneFirst(sql.type(CountRow)`
    SELECT count(DISTINCT membership_id) AS members FROM membership_role
    WHERE organization_id = ${organization_id} AND role_id IN (
      SELECT ${id}::uuid UNION ALL SELECT id FROM organization_role
      WHERE organization_id = ${organization_id} AND replaced_by = ${id})`);
}

/** Inserts a role; returns null if another role of the organization has its name. */
export function insertRole(
  transaction: Transaction,
  { id, organization_id }: RoleKey,
  draft: RoleDraft,
): Promise<RoleRow | null> {
  return nullIfNameTaken(
    transaction.one(sql.type(RoleRow)`
      INSERT INTO organization_role (id, organization_id, name, folded_name, description,
        permissions, capabilities)
      VALUES (${id}, ${organization_id}, ${draft.name}, ${foldCase(draft.name)},
        ${draft.description}, ${sql.array(draft.permissions, 'text')}, ${sql.array(draft.capabilities, 'text')})
      RETURNING ${columns}`),
  );
}

/**
 * Replaces the content of a role and of the deleted roles that it replaces; returns null if another
 * role has the name.
 */
export function updateRole(
  transaction: Transaction,
  { id, organization_id }: RoleKey,
  edit: RoleDraft,
): Promise<readonly RoleRow[] | null> {
  return nullIfNameTaken(
    transaction.many(sql.type(RoleRow)`
      UPDATE organization_role SET ${editedColumns(edit)}
      WHERE organization_id = ${organization_id} AND (id = ${id} OR replaced_by = ${id})
      RETURNING ${columns}`),
  );
}

const nullIfNameTaken = <Result>(statement: Promise<Result>) =>
  withFallbackOnViolation(statement, ['organization_role_name_unique'], null);

export function isNameTaken(
  connection: Connection,
  {
    organization_id,
    name,
    except,
  }: { organization_id: string; name: string; except: string | null },
): Promise<boolean> {
  return connection.exists(sql.typeAlias('void')`
    SELECT FROM organization_role
    WHERE organization_id = ${organization_id} AND deleted_at IS NULL
      AND folded_name = ${foldCase(name)} AND id IS DISTINCT FROM ${except}::uuid`);
}

/** Replaces a role with another one, or with none; also the deleted roles that it replaces. */
export async function markRoleDeleted(
  transaction: Transaction,
  { id, organization_id }: RoleKey,
  replacement: NamedRole | null,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE organization_role SET ${deletedColumns(replacement)}
    WHERE organization_id = ${organization_id} AND (id = ${id} OR replaced_by = ${id})`);
}

const KeyRow = RoleRow.pick({ id: true, organization_id: true });

/** Returns deleted roles that are not removed yet, oldest deletion first. */
export function listDeletedRoles(connection: Connection, limit: number) {
  return connection.any(sql.type(KeyRow)`
    SELECT id, organization_id FROM organization_role
    WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT ${limit}`);
}

/** Deletes the given custom roles, except those that members have. */
export async function deleteRoles(
  transaction: Transaction,
  organization_id: string,
  ids: readonly string[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM organization_role c
    WHERE organization_id = ${organization_id} AND id = ANY(${sql.array([...ids], 'uuid')})
      AND NOT EXISTS (SELECT FROM membership_role r
        WHERE r.organization_id = c.organization_id AND r.custom_role_id = c.id)`);
}

const systemRolesInEveryTeam = organizationRoles.systemRoles
  .filter(({ permissions }) => permissions.includes(everyTeamGrant))
  .map(({ id }) => id);

/** Whether `membership m`, and therefore its credentials, may act in every team. */
export const managesEveryTeam = sql.fragment`EXISTS (
  SELECT FROM membership_role r LEFT JOIN organization_role c ON c.id = r.custom_role_id
  WHERE r.membership_id = m.id AND (r.role_id = ANY(${sql.array(systemRolesInEveryTeam, 'uuid')})
    OR ${everyTeamGrant} = ANY(c.permissions)))`;
