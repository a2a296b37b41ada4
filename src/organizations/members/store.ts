import { z } from 'zod';
import { isMember } from '../../caller/membership.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import { HeldRoleRow, heldRoles } from '../rows.ts';
import { contactColumn } from '../billing/store.ts';
import { BillingContact } from '../billing/schema.ts';
import { deleteSeatsOf, TeamsRow, teamsColumn } from '../teams/seats/store.ts';

/** Identifies a person in an organization. */
export interface MemberKey {
  organization_id: string;
  account_id: string;
}

/** The roles of `membership m`, as `HeldRoleRow`s. */
export const rolesColumn = sql.fragment`${heldRoles(sql.fragment`
  membership_role r LEFT JOIN organization_role c ON c.id = r.custom_role_id
  WHERE r.membership_id = m.id`)} AS roles`;

const ScopeRow = z.object({ id: z.string(), organization_id: z.string(), account_id: z.string() });
export type MembershipRow = z.infer<typeof ScopeRow>;

/** Returns the memberships of these people, including ended ones. */
export function findMemberships(db: Queryable, members: readonly MemberKey[]) {
  const pairs = members.map((member) => [member.organization_id, member.account_id]);
  return db.any(sql.type(ScopeRow)`
    SELECT id, organization_id, account_id FROM membership
    WHERE (organization_id, account_id) IN (
      SELECT * FROM ${sql.unnest(pairs, ['uuid', 'uuid'])})`);
}

/** Returns a membership by its id, even if it has ended. */
export function findMembershipById(db: Queryable, id: string) {
  return db.maybeOne(sql.type(ScopeRow)`
    SELECT id, organization_id, account_id FROM membership WHERE id = ${id}`);
}

const StateRow = z.object({
  kind: z.literal('membership'),
  id: z.string(),
  revision: z.number(),
  applied: z.number(),
  nonce: z.string(),
  content: z.number(),
});

export const MemberRow = z.object({
  id: z.string(),
  organization_id: z.string(),
  account_id: z.string(),
  email: z.string().nullable(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  roles: z.array(HeldRoleRow),
  teams: TeamsRow,
  joined_at: z.string(),
  /** The membership's scope as of this read, for changes whose decision depends on the roles. */
  scope: StateRow,
});
export type MemberRow = z.infer<typeof MemberRow>;

interface MoreOfMembers {
  column: ReturnType<typeof sql.fragment>;
  join: ReturnType<typeof sql.fragment>;
}
const NO_MORE: MoreOfMembers = { column: sql.fragment`m.id`, join: sql.fragment`` };

/** Selects the members of an organization, for further joins and conditions. */
export const membersOf = (organization_id: string, more: MoreOfMembers = NO_MORE) => sql.fragment`
  SELECT ${more.column}, m.id, m.organization_id, m.account_id, m.joined_at, a.email, a.first_name, a.last_name,
    ${rolesColumn}, ${teamsColumn}, json_build_object('kind', s.kind, 'id', s.id, 'revision', s.revision,
      'applied', s.applied, 'nonce', s.nonce, 'content', s.content) AS scope
  FROM membership m
  JOIN account a ON a.id = m.account_id
  JOIN authz_scope s ON s.kind = 'membership' AND s.id = m.id
  ${more.join}
  WHERE m.organization_id = ${organization_id} AND m.left_at IS NULL`;

/** Returns a member with all roles; null if the person is not a member. */
export function findMember(db: Queryable, member: MemberKey) {
  return db.maybeOne(sql.type(MemberRow)`
    ${membersOf(member.organization_id)} AND m.account_id = ${member.account_id}`);
}

/** Returns the ids of a member's roles; null for a person who is not a member. */
export function findRoleIds(db: Queryable, member: MemberKey) {
  return db.maybeOneFirst(sql.type(z.object({ roles: z.array(z.string()) }))`
    SELECT coalesce((SELECT json_agg(role_id ORDER BY role_id) FROM membership_role
      WHERE membership_id = membership.id), '[]') AS roles
    FROM membership
    WHERE organization_id = ${member.organization_id} AND account_id = ${member.account_id}
      AND left_at IS NULL`);
}

/**
 * Inserts a member, or renews the membership of a person who left. Returns false if the person is a
 * member already, or has a membership with another id.
 */
export async function insertMember(
  transaction: Transaction,
  membership: MembershipRow,
): Promise<boolean> {
  const { rowCount } = await transaction.query(sql.typeAlias('void')`
    INSERT INTO membership (id, organization_id, account_id)
    VALUES (${membership.id}, ${membership.organization_id}, ${membership.account_id})
    ON CONFLICT (account_id, organization_id) DO UPDATE SET joined_at = now(), left_at = NULL
    WHERE membership.id = excluded.id AND membership.left_at IS NOT NULL`);
  return rowCount === 1;
}

export async function insertRoles(
  transaction: Transaction,
  { id, organization_id }: Pick<MembershipRow, 'id' | 'organization_id'>,
  roleIds: readonly string[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO membership_role (organization_id, membership_id, role_id)
    SELECT ${organization_id}, ${id}, role_id
    FROM unnest(${sql.array([...roleIds], 'uuid')}) AS role_id`);
}

const ExportedRow = z.object({
  organization_id: z.string(),
  /** Null for a former member: the organization may have another name since. */
  name: z.string().nullable(),
  joined_at: z.string(),
  left_at: z.string().nullable(),
  roles: z.array(HeldRoleRow),
  teams: TeamsRow,
  /** Null unless the person owns the organization. */
  billing_contact: BillingContact.nullable(),
});

/** Returns a person's memberships for the account export, newest first. */
export function exportMemberships(db: Queryable, account_id: string, limit: number) {
  return db.any(sql.type(ExportedRow)`
    SELECT m.organization_id, CASE WHEN ${isMember} THEN o.name END AS name, m.joined_at, m.left_at,
      ${rolesColumn}, ${teamsColumn}, ${contactColumn}
    FROM membership m JOIN organization o ON o.id = m.organization_id
    WHERE m.account_id = ${account_id} AND o.deleted_at IS NULL
    ORDER BY m.id DESC LIMIT ${limit}`);
}

const CountRow = z.object({ count: z.number() });

export function countMembers(db: Queryable, organization_id: string): Promise<number> {
  return db.oneFirst(sql.type(CountRow)`
    SELECT count(*) FROM membership WHERE organization_id = ${organization_id} AND left_at IS NULL`);
}

/** Returns all memberships of a person, including ended ones. */
export function listMemberships(db: Queryable, account_id: string) {
  return db.any(sql.type(ScopeRow)`
    SELECT id, organization_id, account_id FROM membership WHERE account_id = ${account_id}`);
}

/** Replaces all roles of a member. Call it for the former Owner before the new one. */
export async function replaceRoles(
  transaction: Transaction,
  membership: Pick<MembershipRow, 'id' | 'organization_id'>,
  roleIds: readonly string[],
): Promise<void> {
  await deleteRolesOf(transaction, membership.id);
  await insertRoles(transaction, membership, roleIds);
}

async function deleteRolesOf(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM membership_role WHERE membership_id = ${id}`);
}

/** Ends a membership with its seats; its row stays, since the person may join again. */
export async function markLeft(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE membership SET left_at = now() WHERE id = ${id} AND left_at IS NULL`);
  await deleteRolesOf(transaction, id);
  await deleteSeatsOf(transaction, id);
}

/** Returns up to `limit` members who have a role. */
export function listHolders(
  db: Queryable,
  role: { organization_id: string; id: string },
  limit: number,
) {
  return db.any(sql.type(ScopeRow)`
    SELECT m.id, m.organization_id, m.account_id
    FROM membership_role r JOIN membership m ON m.id = r.membership_id
    WHERE r.organization_id = ${role.organization_id} AND r.role_id = ${role.id}
    ORDER BY m.id LIMIT ${limit}`);
}

/** Takes a deleted role from these members, and gives them the one that replaces it. */
export async function replaceDeletedRole(
  transaction: Transaction,
  ids: readonly string[],
  role_id: string,
): Promise<void> {
  const members = sql.array([...ids], 'uuid');
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO membership_role (organization_id, membership_id, role_id)
    SELECT r.organization_id, r.membership_id, c.replaced_by
    FROM membership_role r JOIN organization_role c ON c.id = r.custom_role_id
    WHERE r.role_id = ${role_id} AND r.membership_id = ANY(${members})
      AND c.replaced_by IS NOT NULL
    ON CONFLICT DO NOTHING`);
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM membership_role WHERE role_id = ${role_id} AND membership_id = ANY(${members})`);
}

/** Returns up to `limit` memberships of an organization, including ended ones. */
export function listMembershipBatch(db: Queryable, organization_id: string, limit: number) {
  return db.any(sql.type(ScopeRow)`
    SELECT id, organization_id, account_id FROM membership
    WHERE organization_id = ${organization_id} ORDER BY id LIMIT ${limit}`);
}

export async function deleteMemberships(
  transaction: Transaction,
  ids: readonly string[],
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM membership WHERE id = ANY(${sql.array([...ids], 'uuid')})`);
}

/**
 * Locks an account's row, so that limits per person are counted exactly and the account cannot be
 * deleted before the commit. Returns the plan; null for a deleted account.
 */
export function lockPlan(transaction: Transaction, account_id: string) {
  return transaction.maybeOneFirst(sql.type(
    z.object({ plan: z.enum(['free', 'pro', 'enterprise']) }),
  )`
    SELECT plan FROM account WHERE id = ${account_id} FOR NO KEY UPDATE`);
}
