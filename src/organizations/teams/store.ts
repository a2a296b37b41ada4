import { z } from 'zod';
import { capabilities } from '../../authz/permissions.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { withFallbackOnViolation } from '../../platform/postgres/violation.ts';
import type { Policies } from '../../policies/item-policies.ts';
import { ownItemLists } from '../../policies/policy.ts';
import { HeldRoleRow } from '../rows.ts';
import { TeamRecord } from './schema.ts';
import { seatRoles } from './seats/store.ts';

/** Identifies a team and its organization. */
export interface TeamKey {
  id: string;
  organization_id: string;
}

const TeamRow = TeamRecord.omit({ membership: true }).extend({
  /** The roles of the person's seat; null without a seat. */
  roles: z.array(HeldRoleRow).nullable(),
});
export type TeamRow = z.infer<typeof TeamRow>;

/**
 * Selects the teams of an organization, with the roles of a person's seat, if there is a person.
 */
const teamsOf = (organization_id: string, account_id: string | null) => sql.fragment`
  SELECT t.id, t.name, t.title, t.description, t.created_at,
    (SELECT count(*) FROM team_member WHERE team_id = t.id) AS members,
    CASE WHEN s.team_id IS NOT NULL THEN ${seatRoles} END AS roles
  FROM team t
  LEFT JOIN membership m ON m.organization_id = t.organization_id
    AND m.account_id = ${account_id}::uuid AND m.left_at IS NULL
  LEFT JOIN team_member s ON s.team_id = t.id AND s.membership_id = m.id
  WHERE t.organization_id = ${organization_id} AND t.deleted_at IS NULL`;

/** Returns a team with a person's seat; null if it is deleted or in another organization. */
export function findTeam(
  db: Queryable,
  { id, organization_id }: TeamKey,
  account_id: string | null,
) {
  return db.maybeOne(sql.type(TeamRow)`
    ${teamsOf(organization_id, account_id)} AND t.id = ${id}`);
}

/** Lists the teams of an organization, oldest first, with the seats of a person. */
export function listTeams(db: Queryable, organization_id: string, account_id: string | null) {
  return db.any(sql.type(TeamRow)`
    ${teamsOf(organization_id, account_id)} ORDER BY t.id`);
}

/** Returns the ids of the teams of an organization. */
export function listTeamIds(db: Queryable, organization_id: string) {
  return db.anyFirst(sql.type(z.object({ id: z.string() }))`
    SELECT id FROM team WHERE organization_id = ${organization_id} AND deleted_at IS NULL
    ORDER BY id`);
}

const GrantRow = z.object({
  permissions: z.array(z.string()),
  capabilities: z.array(z.enum(capabilities)),
});

/** Returns what a key was granted in an organization; null without a grant for it. */
export function findKeyGrant(
  db: Queryable,
  { key_id, organization_id }: { key_id: string; organization_id: string },
) {
  return db.maybeOne(sql.type(GrantRow)`
    SELECT g.value->'permissions' AS permissions,
      CASE WHEN k.runs_in = ${organization_id} THEN k.mcp_capabilities ELSE '{}' END AS capabilities
    FROM api_key k CROSS JOIN jsonb_array_elements(k.grants) g
    WHERE k.id = ${key_id} AND g.value->'scope'->>'org_id' = ${organization_id}::text`);
}

const SeatedRow = TeamRecord.pick({ id: true, name: true }).extend({ seated: z.boolean() });
export type SeatedTeam = z.infer<typeof SeatedRow>;

/**
 * Returns the teams of an organization, or those of them with these ids, and whether a person is in
 * each. Every request below a team asks this, so it must not read the team's other members.
 */
export function findSeated(
  db: Queryable,
  { organization_id, account_id }: { organization_id: string; account_id: string | null },
  ids: readonly string[] | null,
) {
  return db.any(sql.type(SeatedRow)`
    SELECT t.id, t.name, s.team_id IS NOT NULL AS seated
    FROM team t
    LEFT JOIN membership m ON m.organization_id = t.organization_id
      AND m.account_id = ${account_id}::uuid AND m.left_at IS NULL
    LEFT JOIN team_member s ON s.team_id = t.id AND s.membership_id = m.id
    WHERE t.organization_id = ${organization_id} AND t.deleted_at IS NULL
      AND (${ids === null} OR t.id = ANY(${sql.array([...(ids ?? [])], 'uuid')}))`);
}

const CountRow = z.object({ count: z.number() });

export function countTeams(db: Queryable, organization_id: string): Promise<number> {
  return db.oneFirst(sql.type(CountRow)`
    SELECT count(*) FROM team WHERE organization_id = ${organization_id} AND deleted_at IS NULL`);
}

export function isTeamNamed(
  db: Queryable,
  {
    organization_id,
    name,
    except,
  }: { organization_id: string; name: string; except: string | null },
): Promise<boolean> {
  return db.exists(sql.typeAlias('void')`
    SELECT FROM team
    WHERE organization_id = ${organization_id} AND name = ${name} AND deleted_at IS NULL
      AND id IS DISTINCT FROM ${except}::uuid`);
}

/** The fields of a team that people edit. */
export type TeamFields = Pick<TeamRecord, 'name' | 'title' | 'description'>;

/** Inserts a team; returns false if another team of the organization has its name. */
export function insertTeam(
  transaction: Transaction,
  { id, organization_id }: TeamKey,
  { name, title, description }: TeamFields,
): Promise<boolean> {
  return falseIfNameTaken(
    transaction.query(sql.typeAlias('void')`
      INSERT INTO team (id, organization_id, name, title, description)
      VALUES (${id}, ${organization_id}, ${name}, ${title}, ${description})`),
  );
}

/** Replaces the fields of a team; returns false if another team has the name. */
export function updateTeam(
  transaction: Transaction,
  { id, organization_id }: TeamKey,
  { name, title, description }: TeamFields,
): Promise<boolean> {
  return falseIfNameTaken(
    transaction.query(sql.typeAlias('void')`
      UPDATE team SET name = ${name}, title = ${title}, description = ${description}
      WHERE id = ${id} AND organization_id = ${organization_id} AND deleted_at IS NULL`),
  );
}

const falseIfNameTaken = (statement: Promise<unknown>): Promise<boolean> =>
  withFallbackOnViolation(
    statement.then(() => true),
    ['team_name_unique'],
    false,
  );

const FieldsRow = TeamRecord.pick({ name: true, title: true, description: true });

const PoliciesRow = z.object({
  tool_policy: z.unknown(),
  resource_policy: z.unknown(),
  prompt_policy: z.unknown(),
  agent_policy: z.unknown(),
});

/** Returns the four exposure policies of a team; null if it is deleted. */
export function findPolicies(db: Queryable, { id, organization_id }: TeamKey) {
  return db.maybeOne(sql.type(PoliciesRow)`
    SELECT tool_policy, resource_policy, prompt_policy, agent_policy FROM team
    WHERE id = ${id} AND organization_id = ${organization_id} AND deleted_at IS NULL`);
}

const ExposingRow = PoliciesRow.extend({ id: z.string(), name: TeamRecord.shape.name });

/** Returns the exposure policies of all teams of an organization. */
export function listPolicies(db: Queryable, organization_id: string) {
  return db.any(sql.type(ExposingRow)`
    SELECT id, name, tool_policy, resource_policy, prompt_policy, agent_policy FROM team
    WHERE organization_id = ${organization_id} AND deleted_at IS NULL ORDER BY id`);
}

/** Replaces one of the four exposure policies of a team. */
export async function replacePolicy(
  transaction: Transaction,
  { id, organization_id }: TeamKey,
  family: keyof Policies,
  policy: object,
): Promise<void> {
  const column = sql.identifier([`${family}_policy`]);
  const stored = sql.jsonb(policy);
  await transaction.query(sql.typeAlias('void')`
    UPDATE team SET ${column} = ${stored}
    WHERE id = ${id} AND organization_id = ${organization_id} AND deleted_at IS NULL`);
}

/**
 * Removes an item of a catalog, the space with the organization's id, from the policies of all
 * teams. A whitelist that becomes empty admits nothing.
 */
export async function dropFromPolicies(
  transaction: Transaction,
  { space, family, id }: { space: { id: string }; family: keyof Policies; id: string },
): Promise<void> {
  if (family === 'resource') return;
  const [policy, list] = ownItemLists[family];
  const column = sql.identifier([policy]);
  await transaction.query(sql.typeAlias('void')`
    UPDATE team SET ${column} = jsonb_set(${column}, ARRAY[${list}::text],
      (${column}->${list}::text) - ${id}::text)
    WHERE organization_id = ${space.id} AND ${column}->${list}::text ? ${id}::text`);
}

const NamedRow = z.object({ id: z.string(), name: z.string() });

/** Returns the teams whose policy lists an item of the organization's catalog, by name. */
export function listTeamsNaming(
  db: Queryable,
  item: { organization_id: string; family: keyof typeof ownItemLists; id: string },
) {
  const [policy, list] = ownItemLists[item.family];
  return db.any(sql.type(NamedRow)`
    SELECT id, name FROM team
    WHERE organization_id = ${item.organization_id} AND deleted_at IS NULL
      AND ${sql.identifier([policy])}->${list}::text ? ${item.id}::text
    ORDER BY name`);
}

/** Locks a team until the commit; null if it is deleted or in another organization. */
export function lockTeam(transaction: Transaction, { id, organization_id }: TeamKey) {
  return transaction.maybeOne(sql.type(FieldsRow)`
    SELECT name, title, description FROM team
    WHERE id = ${id} AND organization_id = ${organization_id} AND deleted_at IS NULL
    FOR NO KEY UPDATE`);
}

const KeyRow = z.object({ id: z.string(), organization_id: z.string() });

/** Prevents a team's deletion until the commit; returns false if it is deleted already. */
export async function lockTeamShared(
  transaction: Transaction,
  { id, organization_id }: TeamKey,
): Promise<boolean> {
  const locked = await transaction.maybeOne(sql.type(KeyRow)`
    SELECT id, organization_id FROM team
    WHERE id = ${id} AND organization_id = ${organization_id} AND deleted_at IS NULL
    FOR SHARE`);
  return locked !== null;
}

/** Marks a team as deleted; its members and roles are removed afterwards. */
export async function markTeamDeleted(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE team SET deleted_at = now() WHERE id = ${id} AND deleted_at IS NULL`);
}

/** Returns deleted teams that are not removed yet, oldest deletion first. */
export function listDeletedTeams(db: Queryable, limit: number) {
  return db.any(sql.type(KeyRow)`
    SELECT id, organization_id FROM team
    WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT ${limit}`);
}

/** Removes the row of a deleted team, after its members and roles have been removed. */
export async function removeTeam(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM team WHERE id = ${id} AND deleted_at IS NOT NULL`);
}

/** Removes all teams of an organization, after their members and roles have been removed. */
export async function removeTeamsOf(
  transaction: Transaction,
  organization_id: string,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM team WHERE organization_id = ${organization_id}`);
}
