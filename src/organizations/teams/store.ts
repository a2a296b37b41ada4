import { z } from 'zod';
import { sql, violatedConstraint } from '../../platform/postgres/database.ts';
import type { Connection, Transaction } from '../../platform/postgres/database.ts';
import { HeldRoleRow } from '../rows.ts';
import { TeamRecord } from './schema.ts';
import { seatRoles } from './seats/store.ts';

/** A team in its organization. */
export interface TeamKey {
  id: string;
  organization_id: string;
}

const TeamRow = TeamRecord.omit({ membership: true }).extend({
  /** The roles of the asker's seat; null without a seat. */
  roles: z.array(HeldRoleRow).nullable(),
});
export type TeamRow = z.infer<typeof TeamRow>;

/** The teams of an organization, with the seat of a person; without a person there is none. */
const teamsOf = (organization_id: string, account_id: string | null) => sql.fragment`
  SELECT t.id, t.name, t.title, t.description, t.created_at,
    (SELECT count(*) FROM team_member WHERE team_id = t.id) AS members,
    CASE WHEN s.team_id IS NOT NULL THEN ${seatRoles} END AS roles
  FROM team t
  LEFT JOIN membership m ON m.organization_id = t.organization_id
    AND m.account_id = ${account_id}::uuid AND m.left_at IS NULL
  LEFT JOIN team_member s ON s.team_id = t.id AND s.membership_id = m.id
  WHERE t.organization_id = ${organization_id} AND t.deleted_at IS NULL`;

/** Returns a team with the seat of a person; null if it is deleted or another organization's. */
export function findTeam(
  connection: Connection,
  { id, organization_id }: TeamKey,
  account_id: string | null,
) {
  return connection.maybeOne(sql.type(TeamRow)`
    ${teamsOf(organization_id, account_id)} AND t.id = ${id}`);
}

/** Lists the teams of an organization, oldest first, with the seats of a person. */
export function listTeams(
  connection: Connection,
  organization_id: string,
  account_id: string | null,
) {
  return connection.any(sql.type(TeamRow)`
    ${teamsOf(organization_id, account_id)} ORDER BY t.id`);
}

const CountRow = z.object({ count: z.number() });

export function countTeams(connection: Connection, organization_id: string): Promise<number> {
  return connection.oneFirst(sql.type(CountRow)`
    SELECT count(*) FROM team WHERE organization_id = ${organization_id} AND deleted_at IS NULL`);
}

export function isTeamNamed(
  connection: Connection,
  {
    organization_id,
    name,
    except,
  }: { organization_id: string; name: string; except: string | null },
): Promise<boolean> {
  return connection.exists(sql.typeAlias('void')`
    SELECT FROM team
    WHERE organization_id = ${organization_id} AND name = ${name} AND deleted_at IS NULL
      AND id IS DISTINCT FROM ${except}::uuid`);
}

/** The fields of a team that people edit. */
export type TeamFields = Pick<TeamRecord, 'name' | 'title' | 'description'>;

/** Inserts a team; returns false if another of the organization has its name. */
export function insertTeam(
  transaction: Transaction,
  { id, organization_id }: TeamKey,
  { name, title, description }: TeamFields,
): Promise<boolean> {
  return unlessNamed(
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
  return unlessNamed(
    transaction.query(sql.typeAlias('void')`
      UPDATE team SET name = ${name}, title = ${title}, description = ${description}
      WHERE id = ${id} AND organization_id = ${organization_id} AND deleted_at IS NULL`),
  );
}

async function unlessNamed(query: Promise<unknown>): Promise<boolean> {
  try {
    await query;
    return true;
  } catch (error) {
    if (violatedConstraint(error) === 'team_name_unique') return false;
    throw error;
  }
}

const FieldsRow = TeamRecord.pick({ name: true, title: true, description: true });

const PoliciesRow = z.object({
  tool_policy: z.unknown(),
  resource_policy: z.unknown(),
  prompt_policy: z.unknown(),
  agent_policy: z.unknown(),
});

/** Returns the four exposure policies of a team; null if it is deleted. */
export function findPolicies(connection: Connection, { id, organization_id }: TeamKey) {
  return connection.maybeOne(sql.type(PoliciesRow)`
    SELECT tool_policy, resource_policy, prompt_policy, agent_policy FROM team
    WHERE id = ${id} AND organization_id = ${organization_id} AND deleted_at IS NULL`);
}

/** Replaces one of the four exposure policies of a team. */
export async function replacePolicy(
  transaction: Transaction,
  { id, organization_id }: TeamKey,
  family: 'tool' | 'resource' | 'prompt' | 'agent',
  policy: object,
): Promise<void> {
  const column = sql.identifier([`${family}_policy`]);
  const stored = sql.jsonb(policy);
  await transaction.query(sql.typeAlias('void')`
    UPDATE team SET ${column} = ${stored}
    WHERE id = ${id} AND organization_id = ${organization_id} AND deleted_at IS NULL`);
}

/** Locks a team until the commit; null if it is deleted or another organization's. */
export function lockTeam(transaction: Transaction, { id, organization_id }: TeamKey) {
  return transaction.maybeOne(sql.type(FieldsRow)`
    SELECT name, title, description FROM team
    WHERE id = ${id} AND organization_id = ${organization_id} AND deleted_at IS NULL
    FOR NO KEY UPDATE`);
}

const KeyRow = z.object({ id: z.string(), organization_id: z.string() });

/** Keeps a team from being deleted until the commit; returns false if it is already. */
export async function holdTeam(
  transaction: Transaction,
  { id, organization_id }: TeamKey,
): Promise<boolean> {
  const held = await transaction.maybeOne(sql.type(KeyRow)`
    SELECT id, organization_id FROM team
    WHERE id = ${id} AND organization_id = ${organization_id} AND deleted_at IS NULL
    FOR SHARE`);
  return held !== null;
}

/** Makes a team absent; its members and roles are removed afterwards. */
export async function markTeamDeleted(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE team SET deleted_at = now() WHERE id = ${id} AND deleted_at IS NULL`);
}

/** Returns deleted teams that are not removed yet, oldest deletion first. */
export function listDeletedTeams(connection: Connection, limit: number) {
  return connection.any(sql.type(KeyRow)`
    SELECT id, organization_id FROM team
    WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT ${limit}`);
}

/** Removes the row of a deleted team that has no members and roles left. */
export async function removeTeam(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM team WHERE id = ${id} AND deleted_at IS NOT NULL`);
}

/** Removes all teams of an organization, which have no members and roles left. */
export async function removeTeamsOf(
  transaction: Transaction,
  organization_id: string,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM team WHERE organization_id = ${organization_id}`);
}
