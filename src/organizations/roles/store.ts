import { z } from 'zod';
import { capabilities } from '../../authz/permissions.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Connection, Transaction } from '../../platform/postgres/database.ts';
import { withFallbackOnViolation } from '../../platform/postgres/violation.ts';
import type { RoleDraft } from './schema.ts';

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

/** Returns custom roles by id, of any organization, for projection to tuples. */
export function findRoles(connection: Connection, ids: readonly string[]) {
  return connection.any(sql.type(RoleRow)`
    SELECT ${columns} FROM organization_role WHERE id = ANY(${sql.array([...ids], 'uuid')})`);
}

/** Returns the custom roles of the organization that have these ids. */
export function findCustomRoles(
  connection: Connection,
  organization_id: string,
  ids: readonly string[],
) {
  return connection.any(sql.type(RoleRow)`
    SELECT ${columns} FROM organization_role
    WHERE organization_id = ${organization_id} AND id = ANY(${sql.array([...ids], 'uuid')})`);
}

/** Lists the custom roles of an organization, oldest first. */
export function listCustomRoles(connection: Connection, organization_id: string) {
  return connection.any(sql.type(RoleRow)`
    SELECT ${columns} FROM organization_role
    WHERE organization_id = ${organization_id} ORDER BY id`);
}

const HoldersRow = z.object({ role_id: z.string(), members: z.number() });

/** Counts the members of each role of an organization; roles without members are missing. */
export async function countHolders(
  connection: Connection,
  organization_id: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await connection.any(sql.type(HoldersRow)`
    SELECT role_id, count(*) AS members FROM membership_role
    WHERE organization_id = ${organization_id} GROUP BY role_id`);
  return new Map(rows.map(({ role_id, members }) => [role_id, members]));
}

const CountRow = HoldersRow.pick({ members: true });

/** Counts the members of one role. */
export function countHoldersOf(connection: Connection, role: RoleKey): Promise<number> {
  return connection.oneFirst(sql.type(CountRow)`
    SELECT count(*) AS members FROM membership_role
    WHERE organization_id = ${role.organization_id} AND role_id = ${role.id}`);
}

/** Inserts a role; returns null if another role of the organization has its name. */
export function insertRole(
  transaction: Transaction,
  { id, organization_id }: RoleKey,
  draft: RoleDraft,
): Promise<RoleRow | null> {
  return nullIfNameTaken(
    transaction.one(sql.type(RoleRow)`
      INSERT INTO organization_role (id, organization_id, name, description, permissions,
        capabilities)
      VALUES (${id}, ${organization_id}, ${draft.name}, ${draft.description},
        ${sql.array(draft.permissions, 'text')}, ${sql.array(draft.capabilities, 'text')})
      RETURNING ${columns}`),
  );
}

/** Replaces the content of a role; returns null if another role has the name. */
export function updateRole(
  transaction: Transaction,
  { id, organization_id }: RoleKey,
  edit: RoleDraft,
): Promise<RoleRow | null> {
  return nullIfNameTaken(
    transaction.one(sql.type(RoleRow)`
      UPDATE organization_role
      SET name = ${edit.name}, description = ${edit.description},
        permissions = ${sql.array(edit.permissions, 'text')},
        capabilities = ${sql.array(edit.capabilities, 'text')}
      WHERE id = ${id} AND organization_id = ${organization_id}
      RETURNING ${columns}`),
  );
}

const nullIfNameTaken = (statement: Promise<RoleRow>) =>
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
    WHERE organization_id = ${organization_id} AND lower(name) = lower(${name})
      AND id IS DISTINCT FROM ${except}::uuid`);
}

/** Deletes custom roles without members. */
export async function deleteRoles(
  transaction: Transaction,
  organization_id: string,
  ids: readonly string[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM organization_role
    WHERE organization_id = ${organization_id} AND id = ANY(${sql.array([...ids], 'uuid')})`);
}
