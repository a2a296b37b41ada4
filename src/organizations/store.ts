import { z } from 'zod';
import { capabilities } from '../authz/permissions.ts';
import { sql } from '../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../platform/postgres/database.ts';
import { rolesColumn } from './members/store.ts';
import { OWNER_ROLE } from './roles/system.ts';
import { HeldRoleRow } from './rows.ts';
import { OrganizationRecord } from './schema.ts';
import { TeamsRow, teamsColumn } from './teams/seats/store.ts';

const ViewedRow = OrganizationRecord.omit({ membership: true }).extend({
  roles: z.array(HeldRoleRow),
  teams: TeamsRow,
  /** What the calling key was granted in the organization; null for a session. */
  key_grant: z
    .object({
      permissions: z.array(z.string()),
      capabilities: z.array(z.enum(capabilities)),
      /** The teams that the key is bound to; null if it follows its person's teams. */
      team_ids: z.array(z.string()).nullable(),
      /** False for a key of the organization itself, which no roles limit. */
      acts_for_member: z.boolean(),
      /** True for an access token, which has no permission without a scope. */
      is_token: z.literal(true).optional(),
    })
    .nullable(),
});
export type ViewedRow = z.infer<typeof ViewedRow>;

/** The person who makes a request, and the key if the request was made with one. */
export interface Viewer {
  account_id: string;
  key_id: string | null;
}

/** Selects the organizations of a person; for a key, those that it has a grant for. */
const viewedOrganizations = ({ account_id, key_id }: Viewer) => sql.fragment`
  SELECT o.id, o.name, o.plan, o.status, o.created_at, ${rolesColumn}, ${teamsColumn},
    CASE WHEN k.id IS NOT NULL THEN json_build_object('permissions', g.value->'permissions',
      'capabilities', CASE WHEN k.org_scope = o.id THEN k.mcp_capabilities ELSE '{}' END,
      'team_ids', CASE WHEN k.org_scope IS DISTINCT FROM o.id OR NOT k.follows_teams THEN ARRAY(
        SELECT team_id FROM api_key_team WHERE key_id = k.id AND k.org_scope = o.id) END,
      'acts_for_member', true) END AS key_grant
  FROM membership m JOIN organization o ON o.id = m.organization_id
  LEFT JOIN (api_key k CROSS JOIN jsonb_array_elements(k.grants) g)
    ON k.id = ${key_id}::uuid AND g.value->'scope'->>'org_id' = o.id::text
  WHERE m.account_id = ${account_id} AND m.left_at IS NULL AND o.deleted_at IS NULL
    AND (${key_id}::uuid IS NULL OR k.id IS NOT NULL)`;

/** Selects the organization that a key belongs to, if the key has a grant for it. */
const serviceOrganization = (key_id: string) => sql.fragment`
  SELECT o.id, o.name, o.plan, o.status, o.created_at, '[]'::json AS roles,
    (SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'roles', '[]'::json)
        ORDER BY t.name), '[]')
      FROM team t LEFT JOIN api_key_team b ON b.team_id = t.id AND b.key_id = k.id
      WHERE t.organization_id = o.id AND t.deleted_at IS NULL
        AND (k.follows_teams OR b.team_id IS NOT NULL)) AS teams,
    json_build_object('permissions', g.value->'permissions', 'capabilities', k.mcp_capabilities,
      'team_ids', NULL, 'acts_for_member', false) AS key_grant
  FROM api_key k
  JOIN organization o ON o.id = k.organization_id AND o.deleted_at IS NULL
  CROSS JOIN jsonb_array_elements(k.grants) g
  WHERE k.id = ${key_id}`;

/** Returns the organization that a key belongs to; null if the key has no grant for it. */
export function findServiceOrganization(db: Queryable, key_id: string) {
  return db.maybeOne(sql.type(ViewedRow)`${serviceOrganization(key_id)}`);
}

/** Returns an organization with these teams, or all if null, for a credential without a person. */
export function findOrganizationWithTeams(
  db: Queryable,
  id: string,
  team_ids: readonly string[] | null,
) {
  const isAmong = team_ids
    ? sql.fragment`t.id = ANY(${sql.array([...team_ids], 'uuid')})`
    : sql.fragment`true`;
  return db.maybeOne(sql.type(ViewedRow)`
    SELECT o.id, o.name, o.plan, o.status, o.created_at, '[]'::json AS roles,
      (SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'roles', '[]'::json)
          ORDER BY t.name), '[]')
        FROM team t
        WHERE t.organization_id = o.id AND t.deleted_at IS NULL AND ${isAmong}) AS teams,
      NULL::json AS key_grant
    FROM organization o WHERE o.id = ${id} AND o.deleted_at IS NULL`);
}

/** Returns an organization with the person's roles in it; null if the person is not a member. */
export function findViewedOrganization(db: Queryable, viewer: Viewer, id: string) {
  return db.maybeOne(sql.type(ViewedRow)`${viewedOrganizations(viewer)} AND o.id = ${id}`);
}

/** Returns a person's organizations older than `cursor`, newest first. */
export function listViewedOrganizations(
  db: Queryable,
  viewer: Viewer,
  page: { limit: number; cursor: string | null },
) {
  return db.any(sql.type(ViewedRow)`
    ${viewedOrganizations(viewer)}
      AND (${page.cursor}::uuid IS NULL OR o.id < ${page.cursor}::uuid)
    ORDER BY o.id DESC LIMIT ${page.limit}`);
}

const OwnedRow = OrganizationRecord.pick({ id: true, name: true });

/** Returns the organizations that a person owns, without deleted ones. */
export function listOwnedOrganizations(db: Queryable, account_id: string) {
  return db.any(sql.type(OwnedRow)`
    SELECT o.id, o.name FROM membership m
    JOIN membership_role r ON r.membership_id = m.id AND r.role_id = ${OWNER_ROLE}
    JOIN organization o ON o.id = m.organization_id
    WHERE m.account_id = ${account_id} AND o.deleted_at IS NULL ORDER BY o.id`);
}

export async function insertOrganization(
  transaction: Transaction,
  { id, name }: { id: string; name: string },
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO organization (id, name) VALUES (${id}, ${name})`);
}

const NamedRow = z.object({ name: z.string() });

/** Locks an organization until the commit and returns its name; null if it is deleted. */
export function lockOrganization(transaction: Transaction, id: string): Promise<string | null> {
  return transaction.maybeOneFirst(sql.type(NamedRow)`
    SELECT name FROM organization WHERE id = ${id} AND deleted_at IS NULL FOR NO KEY UPDATE`);
}

/** Locks an organization likewise, also against new rows that reference it. */
export function lockOrganizationForUpdate(
  transaction: Transaction,
  id: string,
): Promise<string | null> {
  return transaction.maybeOneFirst(sql.type(NamedRow)`
    SELECT name FROM organization WHERE id = ${id} AND deleted_at IS NULL FOR UPDATE`);
}

export async function renameOrganization(
  transaction: Transaction,
  { id, name }: { id: string; name: string },
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE organization SET name = ${name} WHERE id = ${id}`);
}

/** Marks an organization as deleted; its memberships and roles are removed afterwards. */
export async function markOrganizationDeleted(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE organization SET deleted_at = now() WHERE id = ${id} AND deleted_at IS NULL`);
}

/** Returns deleted organizations that are not removed yet, oldest deletion first. */
export function listDeletedOrganizations(db: Queryable, limit: number) {
  return db.anyFirst(sql.type(z.object({ id: z.string() }))`
    SELECT id FROM organization WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT ${limit}`);
}

/** Removes the row of a deleted organization, after its memberships and roles have been removed. */
export async function removeOrganization(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM organization WHERE id = ${id} AND deleted_at IS NOT NULL`);
}

const StateRow = OrganizationRecord.pick({ id: true, plan: true, status: true });

/** Returns the state of an organization that is not deleted. */
export function findOrganizationState(db: Queryable, id: string) {
  return db.maybeOne(sql.type(StateRow)`
    SELECT id, plan, status FROM organization WHERE id = ${id} AND deleted_at IS NULL`);
}

const OverviewRow = OrganizationRecord.pick({
  ...{ id: true, name: true, plan: true, status: true },
}).extend({ members: z.number(), owner: z.string().nullable() });
/** An organization as an operator sees it. */
export type OrganizationOverview = z.infer<typeof OverviewRow>;

/** Lists organizations after `after`, oldest first, with their size and the Owner's address. */
export function listOrganizations(db: Queryable, after: string | null, limit: number) {
  return db.any(sql.type(OverviewRow)`
    SELECT o.id, o.name, o.plan, o.status,
      (SELECT count(*) FROM membership WHERE organization_id = o.id AND left_at IS NULL) AS members,
      (SELECT a.email FROM membership_role r JOIN membership m ON m.id = r.membership_id
        JOIN account a ON a.id = m.account_id
        WHERE r.organization_id = o.id AND r.role_id = ${OWNER_ROLE}) AS owner
    FROM organization o
    WHERE o.deleted_at IS NULL AND (${after}::uuid IS NULL OR o.id > ${after}::uuid)
    ORDER BY o.id LIMIT ${limit}`);
}

export async function setPlan(
  transaction: Transaction,
  { id, plan }: Pick<OrganizationOverview, 'id' | 'plan'>,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE organization SET plan = ${plan} WHERE id = ${id}`);
}

export async function setStatus(
  transaction: Transaction,
  { id, status }: Pick<OrganizationOverview, 'id' | 'status'>,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE organization SET status = ${status} WHERE id = ${id}`);
}
