import { z } from 'zod';
import { capabilities, everyTeamGrant } from '../../authz/permissions.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { withFallbackOnViolation } from '../../platform/postgres/violation.ts';
import { foldCase } from '../../platform/text/fold-case.ts';
import { teamOf } from '../grants/place.ts';
import type { Place } from '../grants/place.ts';
import { deletedColumns, editedColumns } from '../rows.ts';
import type { NamedRole, RoleKind } from './kind.ts';
import type { RoleDraft } from './schema.ts';
import { organizationRoles } from './system.ts';

/** Identifies a role and its organization. */
export interface RoleKey {
  id: string;
  organization_id: string;
}

/** A role, and the place through whose routes it is reached. */
export type PlacedRole = Place & { role_id: string };

const RoleRow = z.object({
  id: z.string(),
  organization_id: z.string(),
  /** The team that the role belongs to; null for a role of the organization or of all its teams. */
  team_id: z.string().nullable(),
  name: z.string(),
  description: z.string(),
  permissions: z.array(z.string()),
  capabilities: z.array(z.enum(capabilities)),
});
export type RoleRow = z.infer<typeof RoleRow>;

/** The tables of custom roles `c` and of those who have them, `r`, which only for teams name a team. */
const TABLES = {
  organization: {
    roles: sql.identifier(['organization_role']),
    held: sql.identifier(['membership_role']),
    team: sql.fragment`NULL::uuid`,
    ownerColumns: sql.fragment`organization_id`,
    ownerOf: ({ organization_id }: Place) => sql.fragment`${organization_id}`,
    holders: sql.fragment`membership_role r`,
    holder: sql.fragment`r.membership_id`,
    nameIndex: 'organization_role_name_unique',
  },
  team: {
    roles: sql.identifier(['team_role']),
    held: sql.identifier(['team_member_role']),
    team: sql.fragment`c.team_id`,
    ownerColumns: sql.fragment`organization_id, team_id`,
    ownerOf: (place: Place) => sql.fragment`${place.organization_id}, ${teamOf(place)}`,
    // Seats in deleted teams are being removed.
    holders: sql.fragment`team_member_role r
      JOIN team t ON t.id = r.team_id AND t.deleted_at IS NULL`,
    holder: sql.fragment`(r.team_id, r.membership_id)`,
    nameIndex: 'team_role_name_unique',
  },
} as const;
const tablesOf = ({ context }: RoleKind) => TABLES[context];

const columnsOf = (kind: RoleKind) => sql.fragment`
  c.id, c.organization_id, ${tablesOf(kind).team} AS team_id, c.name, c.description, c.permissions,
  c.capabilities`;

const ContentRow = RoleRow.omit({ team_id: true, name: true, description: true });

/** Returns custom roles by id, of any organization and even deleted, for projection to tuples. */
export function findRoles(db: Queryable, kind: RoleKind, ids: readonly string[]) {
  return db.any(sql.type(ContentRow)`
    SELECT id, organization_id, permissions, capabilities FROM ${tablesOf(kind).roles}
    WHERE id = ANY(${sql.array([...ids], 'uuid')})`);
}

/**
 * Lists the custom roles that can be given in a place, oldest first: in a team, its own and those for
 * all teams.
 */
export function listCustomRoles(
  db: Queryable,
  kind: RoleKind,
  place: Place,
  ids: readonly string[] | null = null,
) {
  const { roles, team } = tablesOf(kind);
  return db.any(sql.type(RoleRow)`
    SELECT ${columnsOf(kind)} FROM ${roles} c
    WHERE c.organization_id = ${place.organization_id} AND c.deleted_at IS NULL
      AND (${team} IS NULL OR ${team} = ${teamOf(place)}::uuid)
      AND (${ids === null} OR c.id = ANY(${sql.array([...(ids ?? [])], 'uuid')}))
    ORDER BY c.id`);
}

const IdRow = RoleRow.pick({ id: true });

/** Returns the ids of all custom roles of an organization, including deleted ones. */
export function listRoleIds(db: Queryable, kind: RoleKind, organization_id: string) {
  return db.anyFirst(sql.type(IdRow)`
    SELECT id FROM ${tablesOf(kind).roles} WHERE organization_id = ${organization_id} ORDER BY id`);
}

/** Returns the ids of all custom roles of a single team, including deleted ones. */
export function listRoleIdsOfTeam(db: Queryable, team_id: string) {
  return db.anyFirst(sql.type(IdRow)`
    SELECT id FROM team_role WHERE team_id = ${team_id} ORDER BY id`);
}

/** Returns the ids of the deleted roles that a role replaces. */
export function listReplacedBy(db: Queryable, kind: RoleKind, { id, organization_id }: RoleKey) {
  return db.anyFirst(sql.type(IdRow)`
    SELECT id FROM ${tablesOf(kind).roles}
    WHERE organization_id = ${organization_id} AND replaced_by = ${id}`);
}

const HoldersRow = z.object({ role_id: z.string(), members: z.number() });

const heldIn = (place: Place) => {
  const team_id = teamOf(place);
  const inTeam = team_id === null ? sql.fragment`` : sql.fragment`AND r.team_id = ${team_id}`;
  return sql.fragment`r.organization_id = ${place.organization_id} ${inTeam}`;
};

/**
 * Counts the members who have each role in the organization, in a team, or in all teams, where a
 * person counts once for each team. Roles without members are missing.
 */
export async function countHolders(
  db: Queryable,
  kind: RoleKind,
  place: Place,
): Promise<ReadonlyMap<string, number>> {
  const { roles, holders, holder } = tablesOf(kind);
  const rows = await db.any(sql.type(HoldersRow)`
    SELECT coalesce(c.replaced_by, r.role_id) AS role_id, count(DISTINCT ${holder}) AS members
    FROM ${holders} LEFT JOIN ${roles} c ON c.id = r.custom_role_id
    WHERE ${heldIn(place)} GROUP BY 1`);
  return new Map(rows.map(({ role_id, members }) => [role_id, members]));
}

/** The ids of a role and of the deleted roles that it replaces. */
const idsOf = (kind: RoleKind, { id, organization_id }: RoleKey) => sql.fragment`
  SELECT ${id}::uuid UNION ALL SELECT id FROM ${tablesOf(kind).roles}
  WHERE organization_id = ${organization_id} AND replaced_by = ${id}`;

/**
 * Counts the members who have one role, as `countHolders` does, and those who are to get it for a
 * deleted one.
 */
export function countHoldersOf(
  db: Queryable,
  kind: RoleKind,
  place: Place,
  id: string,
): Promise<number> {
  const { holders, holder } = tablesOf(kind);
  const { organization_id } = place;
  return db.oneFirst(sql.type(HoldersRow.pick({ members: true }))`
    SELECT count(DISTINCT ${holder}) AS members FROM ${holders}
    WHERE ${heldIn(place)} AND r.role_id IN (${idsOf(kind, { id, organization_id })})`);
}

/** Returns the teams in which someone has a role, or is to get it for a deleted one. */
export function listTeamsOfRole(
  db: Queryable,
  kind: RoleKind,
  role: RoleKey,
): Promise<readonly string[]> {
  return db.anyFirst(sql.type(z.object({ team_id: z.string() }))`
    SELECT DISTINCT r.team_id FROM ${TABLES.team.holders}
    WHERE r.organization_id = ${role.organization_id} AND r.role_id IN (${idsOf(kind, role)})
    ORDER BY r.team_id`);
}

/** Inserts a role of a place; returns null if another role there has its name. */
export function insertRole(
  transaction: Transaction,
  kind: RoleKind,
  { id, ...place }: Place & RoleKey,
  draft: RoleDraft,
): Promise<RoleRow | null> {
  const { roles, ownerColumns, ownerOf, nameIndex } = tablesOf(kind);
  const inserted = transaction.one(sql.type(RoleRow)`
    INSERT INTO ${roles} AS c (id, ${ownerColumns}, name, folded_name, description, permissions,
      capabilities)
    VALUES (${id}, ${ownerOf(place)}, ${draft.name}, ${foldCase(draft.name)}, ${draft.description},
      ${sql.array(draft.permissions, 'text')}, ${sql.array(draft.capabilities, 'text')})
    RETURNING ${columnsOf(kind)}`);
  return withFallbackOnViolation(inserted, [nameIndex], null);
}

/**
 * Replaces the content of a role and of the deleted roles that it replaces; returns null if another
 * role of its place has the name.
 */
export function updateRole(
  transaction: Transaction,
  kind: RoleKind,
  { id, organization_id }: RoleKey,
  edit: RoleDraft,
): Promise<readonly RoleRow[] | null> {
  const { roles, nameIndex } = tablesOf(kind);
  const updated = transaction.many(sql.type(RoleRow)`
    UPDATE ${roles} c SET ${editedColumns(edit)}
    WHERE c.organization_id = ${organization_id} AND (c.id = ${id} OR c.replaced_by = ${id})
    RETURNING ${columnsOf(kind)}`);
  return withFallbackOnViolation(updated, [nameIndex], null);
}

/**
 * Returns whether another role of this kind in the organization has the name. Deleted roles and those
 * of deleted teams do not count.
 */
export function isNameTaken(
  db: Queryable,
  kind: RoleKind,
  {
    organization_id,
    name,
    except,
  }: { organization_id: string; name: string; except: string | null },
): Promise<boolean> {
  const { roles, team } = tablesOf(kind);
  return db.exists(sql.typeAlias('void')`
    SELECT FROM ${roles} c LEFT JOIN team t ON t.id = ${team}
    WHERE c.organization_id = ${organization_id} AND c.deleted_at IS NULL AND t.deleted_at IS NULL
      AND c.folded_name = ${foldCase(name)} AND c.id IS DISTINCT FROM ${except}::uuid`);
}

/** Replaces a role with another one, or with none; also the deleted roles that it replaces. */
export async function markRoleDeleted(
  transaction: Transaction,
  kind: RoleKind,
  { id, organization_id }: RoleKey,
  replacement: NamedRole | null,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE ${tablesOf(kind).roles} SET ${deletedColumns(replacement)}
    WHERE organization_id = ${organization_id} AND (id = ${id} OR replaced_by = ${id})`);
}

const KeyRow = RoleRow.pick({ id: true, organization_id: true });

/** Returns deleted roles that are not removed yet, oldest deletion first. */
export function listDeletedRoles(db: Queryable, kind: RoleKind, limit: number) {
  return db.any(sql.type(KeyRow)`
    SELECT id, organization_id FROM ${tablesOf(kind).roles}
    WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT ${limit}`);
}

/** Deletes the given custom roles, except those that members have. */
export async function deleteRoles(
  transaction: Transaction,
  kind: RoleKind,
  organization_id: string,
  ids: readonly string[],
): Promise<void> {
  const { roles, held } = tablesOf(kind);
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM ${roles} c
    WHERE c.organization_id = ${organization_id} AND c.id = ANY(${sql.array([...ids], 'uuid')})
      AND NOT EXISTS (SELECT FROM ${held} r
        WHERE r.organization_id = c.organization_id AND r.role_id = c.id)`);
}

const systemRolesInEveryTeam = organizationRoles.systemRoles
  .filter(({ permissions }) => permissions.includes(everyTeamGrant))
  .map(({ id }) => id);

/** Whether `membership m`, and therefore its credentials, may act in every team. */
export const managesEveryTeamSql = sql.fragment`EXISTS (
  SELECT FROM membership_role r LEFT JOIN organization_role c ON c.id = r.custom_role_id
  WHERE r.membership_id = m.id AND (r.role_id = ANY(${sql.array(systemRolesInEveryTeam, 'uuid')})
    OR ${everyTeamGrant} = ANY(c.permissions)))`;
