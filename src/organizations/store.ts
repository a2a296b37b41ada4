import { z } from 'zod';
import { sql } from '../platform/postgres/database.ts';
import type { Connection, Transaction } from '../platform/postgres/database.ts';
import { rolesColumn } from './members/store.ts';
import { OWNER_ROLE } from './roles/system.ts';
import { HeldRoleRow } from './rows.ts';
import { OrganizationRecord } from './schema.ts';
import { TeamsRow, teamsColumn } from './teams/seats/store.ts';

const OwnRow = OrganizationRecord.omit({ membership: true }).extend({
  roles: z.array(HeldRoleRow),
  teams: TeamsRow,
});
export type OwnRow = z.infer<typeof OwnRow>;

/** An organization as its member sees it; expects the account's id. */
const ownOrganizations = (account_id: string) => sql.fragment`
  SELECT o.id, o.name, o.plan, o.status, o.created_at, ${rolesColumn}, ${teamsColumn}
  FROM membership m JOIN organization o ON o.id = m.organization_id
  WHERE m.account_id = ${account_id} AND m.left_at IS NULL AND o.deleted_at IS NULL`;

/** Returns an organization with the roles of this member; null for a person who is none. */
export function findOwn(connection: Connection, member: { id: string; account_id: string }) {
  return connection.maybeOne(sql.type(OwnRow)`
    ${ownOrganizations(member.account_id)} AND o.id = ${member.id}`);
}

/** Returns a person's organizations older than `cursor`, newest first. */
export function listOwn(
  connection: Connection,
  account_id: string,
  page: { limit: number; cursor: string | null },
) {
  return connection.any(sql.type(OwnRow)`
    ${ownOrganizations(account_id)}
      AND (${page.cursor}::uuid IS NULL OR o.id < ${page.cursor}::uuid)
    ORDER BY o.id DESC LIMIT ${page.limit}`);
}

const OwnedRow = OrganizationRecord.pick({ id: true, name: true });

/** Returns the organizations that a person owns; deleted ones free their place in the plan. */
export function listOwned(connection: Connection, account_id: string) {
  return connection.any(sql.type(OwnedRow)`
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

export async function renameOrganization(
  transaction: Transaction,
  { id, name }: { id: string; name: string },
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE organization SET name = ${name} WHERE id = ${id}`);
}

/** Makes an organization absent; its memberships and roles are removed afterwards. */
export async function markDeleted(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    UPDATE organization SET deleted_at = now() WHERE id = ${id} AND deleted_at IS NULL`);
}

/** Returns deleted organizations that are not removed yet, oldest deletion first. */
export function listDeleted(connection: Connection, limit: number) {
  return connection.anyFirst(sql.type(z.object({ id: z.string() }))`
    SELECT id FROM organization WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT ${limit}`);
}

/** Removes the row of a deleted organization that has no memberships and roles left. */
export async function removeOrganization(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM organization WHERE id = ${id} AND deleted_at IS NOT NULL`);
}

const StateRow = OrganizationRecord.pick({ id: true, plan: true, status: true });

/** Returns the state of an organization that is not deleted. */
export function findState(connection: Connection, id: string) {
  return connection.maybeOne(sql.type(StateRow)`
    SELECT id, plan, status FROM organization WHERE id = ${id} AND deleted_at IS NULL`);
}

const OverviewRow = OrganizationRecord.pick({
  ...{ id: true, name: true, plan: true, status: true },
}).extend({ members: z.number(), owner: z.string().nullable() });
/** An organization as an operator sees it. */
export type OrganizationOverview = z.infer<typeof OverviewRow>;

/** Lists organizations after one, oldest first, with their size and the address of the Owner. */
export function listAll(connection: Connection, after: string | null, limit: number) {
  return connection.any(sql.type(OverviewRow)`
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
