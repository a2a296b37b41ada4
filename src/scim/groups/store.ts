import { z } from 'zod';
import type { ScopeState } from '../../caller/scope.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { withFallbackOnViolation } from '../../platform/postgres/violation.ts';
import { isUuid } from '../../platform/ids.ts';
import { conditionOf } from '../filter/condition.ts';
import type { Attributes } from '../filter/condition.ts';
import type { Filter } from '../filter/parse.ts';

/** Identifies a group, whose id is that of the team. */
export interface GroupKey {
  organization_id: string;
  team_id: string;
}

const GroupRow = z.object({
  team_id: z.string(),
  display_name: z.string(),
  external_id: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  /** Null if they were not asked for. */
  members: z.array(z.object({ account_id: z.string(), display: z.string().nullable() })).nullable(),
});
export type GroupRow = z.infer<typeof GroupRow>;

const source = (organization_id: string) => sql.fragment`
  FROM scim_group g JOIN team t ON t.id = g.team_id AND t.deleted_at IS NULL
  WHERE g.organization_id = ${organization_id}`;

const columns = (withMembers: boolean) => sql.fragment`
  g.team_id, g.display_name, g.external_id, g.created_at, g.updated_at,
  CASE WHEN ${withMembers} THEN (
    SELECT coalesce(json_agg(json_build_object('account_id', m.account_id,
        'display', coalesce(u.display_name, u.user_name)) ORDER BY u.membership_id), '[]')
    FROM scim_group_member i
    JOIN scim_user u ON u.membership_id = i.membership_id
    JOIN membership m ON m.id = u.membership_id
    WHERE i.team_id = g.team_id) END AS members`;

const hasMember: Attributes[string] = {
  type: 'ids',
  includes: (id) =>
    isUuid(id)
      ? sql.fragment`EXISTS (
          SELECT FROM scim_group_member i JOIN membership m ON m.id = i.membership_id
          WHERE i.team_id = g.team_id AND m.account_id = ${id})`
      : sql.fragment`false`,
};

/** The attributes that filters of groups may name. */
const attributes: Attributes = {
  id: { type: 'lower', column: sql.fragment`g.team_id::text` },
  displayname: { type: 'text', column: sql.fragment`g.display_name` },
  externalid: { type: 'exact', column: sql.fragment`g.external_id` },
  members: hasMember,
  'members.value': hasMember,
  'meta.created': { type: 'time', column: sql.fragment`g.created_at` },
  'meta.lastmodified': { type: 'time', column: sql.fragment`g.updated_at` },
};

const where = (filter: Filter | null) =>
  filter === null ? sql.fragment`` : sql.fragment`AND ${conditionOf(filter, attributes)}`;

/** Returns a group; null if the directory did not create it, or the team is deleted. */
export function findGroup(
  db: Queryable,
  { organization_id, team_id }: GroupKey,
  withMembers: boolean,
) {
  return db.maybeOne(sql.type(GroupRow)`
    SELECT ${columns(withMembers)} ${source(organization_id)} AND g.team_id = ${team_id}`);
}

/** Returns groups from `offset` on, in the order in which they were created. */
export function listGroups(
  db: Queryable,
  organization_id: string,
  page: { filter: Filter | null; limit: number; offset: number; withMembers: boolean },
) {
  return db.any(sql.type(GroupRow)`
    SELECT ${columns(page.withMembers)} ${source(organization_id)} ${where(page.filter)}
    ORDER BY g.created_at, g.team_id LIMIT ${page.limit} OFFSET ${page.offset}`);
}

const CountRow = z.object({ count: z.number() });

export function countGroups(
  db: Queryable,
  organization_id: string,
  filter: Filter | null,
): Promise<number> {
  return db.oneFirst(sql.type(CountRow)`
    SELECT count(*) ${source(organization_id)} ${where(filter)}`);
}

/** The attributes of a group that are stored as sent. */
export type GroupAttributes = Pick<GroupRow, 'display_name' | 'external_id'>;

/**
 * Inserts a group, in place of one whose team was deleted; false if another group has the name.
 */
export async function insertGroup(
  transaction: Transaction,
  { organization_id, team_id }: GroupKey,
  { display_name, external_id }: GroupAttributes,
): Promise<boolean> {
  await forgetDeletedTeams(transaction, organization_id);
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    INSERT INTO scim_group (team_id, organization_id, display_name, external_id)
    VALUES (${team_id}, ${organization_id}, ${display_name}, ${external_id})
    ON CONFLICT DO NOTHING`);
  return rowCount === 1;
}

/** Deletes the groups whose teams were deleted and will be removed: their names are free. */
async function forgetDeletedTeams(
  transaction: Transaction,
  organization_id: string,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM scim_group g USING team t
    WHERE g.organization_id = ${organization_id} AND t.id = g.team_id AND t.deleted_at IS NOT NULL`);
}

/** Replaces the attributes of a group; returns false if another group has the name. */
export async function updateGroup(
  transaction: Transaction,
  { organization_id, team_id }: GroupKey,
  { display_name, external_id }: GroupAttributes,
): Promise<boolean> {
  await forgetDeletedTeams(transaction, organization_id);
  const statement = transaction.query(sql.typeAlias('void')`
    UPDATE scim_group SET display_name = ${display_name}, external_id = ${external_id},
      updated_at = now()
    WHERE team_id = ${team_id} AND organization_id = ${organization_id}`);
  return withFallbackOnViolation(
    statement.then(() => true),
    ['scim_group_name_unique'],
    false,
  );
}

const PlacedRow = z.object({
  id: z.string(),
  organization_id: z.string(),
  account_id: z.string(),
  active: z.boolean(),
  /** Whether the person has a seat in the team. */
  seated: z.boolean(),
  /** Whether the directory put the user into the group. */
  listed: z.boolean(),
  scope: z.object({
    kind: z.literal('membership'),
    id: z.string(),
    revision: z.number(),
    applied: z.number(),
    nonce: z.string(),
    content: z.number(),
  }) satisfies z.ZodType<ScopeState>,
});
/** A user, with the membership's scope, and whether the user is in a group. */
export type PlacedUser = z.infer<typeof PlacedRow>;

/** Returns the users of a group and those with these ids. */
export function listPlacedUsers(
  db: Queryable,
  { organization_id, team_id }: GroupKey,
  account_ids: readonly string[],
) {
  return db.any(sql.type(PlacedRow)`
    SELECT m.id, m.organization_id, m.account_id, m.left_at IS NULL AS active,
      s.team_id IS NOT NULL AS seated, i.team_id IS NOT NULL AS listed,
      json_build_object('kind', c.kind, 'id', c.id, 'revision', c.revision,
        'applied', c.applied, 'nonce', c.nonce, 'content', c.content) AS scope
    FROM scim_user u
    JOIN membership m ON m.id = u.membership_id
    JOIN authz_scope c ON c.kind = 'membership' AND c.id = m.id
    LEFT JOIN team_member s ON s.team_id = ${team_id} AND s.membership_id = m.id
    LEFT JOIN scim_group_member i ON i.team_id = ${team_id} AND i.membership_id = m.id
    WHERE u.organization_id = ${organization_id}
      AND (i.team_id IS NOT NULL OR m.account_id = ANY(${sql.array([...account_ids], 'uuid')}))
    ORDER BY m.id`);
}

export async function insertGroupMembers(
  transaction: Transaction,
  { organization_id, team_id }: GroupKey,
  membership_ids: readonly string[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO scim_group_member (organization_id, team_id, membership_id)
    SELECT ${organization_id}, ${team_id}, id
    FROM unnest(${sql.array([...membership_ids], 'uuid')}) AS id
    ON CONFLICT DO NOTHING`);
  await touch(transaction, team_id);
}

export async function deleteGroupMembers(
  transaction: Transaction,
  { team_id }: GroupKey,
  membership_ids: readonly string[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM scim_group_member
    WHERE team_id = ${team_id} AND membership_id = ANY(${sql.array([...membership_ids], 'uuid')})`);
  await touch(transaction, team_id);
}

async function touch(transaction: Transaction, team_id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE scim_group SET updated_at = now() WHERE team_id = ${team_id}`);
}
