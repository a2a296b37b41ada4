import { z } from 'zod';
import type { QuotaOwner } from '../../caller/principal.ts';
import { sql } from '../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { SpaceIdentity } from './space.ts';

/** Creates an account's personal space, in the transaction that creates the account. */
export async function insertPersonalSpace(
  transaction: Transaction,
  account_id: string,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO space (id, kind, account_id) VALUES (${account_id}, 'personal', ${account_id})`);
}

/** Creates the space of a catalog, in the transaction that creates the organization. */
export async function insertOrganizationSpace(
  transaction: Transaction,
  organization_id: string,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO space (id, kind, organization_id)
    VALUES (${organization_id}, 'organization', ${organization_id})`);
}

/** Creates a team's space, in the transaction that creates the team. */
export async function insertTeamSpace(
  transaction: Transaction,
  { organization_id, id }: { organization_id: string; id: string },
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO space (id, kind, organization_id, team_id)
    VALUES (${id}, 'team', ${organization_id}, ${id})`);
}

/** Creates the space of a membership; a person who joins again keeps the earlier space. */
export async function insertMemberSpace(
  transaction: Transaction,
  { organization_id, account_id, id }: { organization_id: string; account_id: string; id: string },
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO space (id, kind, account_id, organization_id)
    VALUES (${id}, 'member', ${account_id}, ${organization_id})
    ON CONFLICT DO NOTHING`);
}

/**
 * Serializes creations in all spaces of a quota owner until the commit, so that its limits are
 * exact. Locks the space with the owner's own id, since the spaces of members have different
 * scopes.
 */
export async function lockSpacesOf(
  transaction: Transaction,
  { id }: Pick<QuotaOwner, 'id'>,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    SELECT FROM space WHERE id = ${id} FOR NO KEY UPDATE`);
}

/** Deletes the space of a team with its content. */
export async function deleteTeamSpace(transaction: Transaction, team_id: string): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM space WHERE id = ${team_id} AND kind = 'team'`);
}

/** Deletes all spaces of an organization with their content. */
export async function deleteSpacesOf(
  transaction: Transaction,
  organization_id: string,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM space WHERE quota_owner_id = ${organization_id} AND kind <> 'personal'`);
}

const id = z.string();
const IdentityRow = z.discriminatedUnion('kind', [
  z.object({ id, kind: z.literal('personal'), account_id: id }),
  z.object({ id, kind: z.literal('member'), account_id: id, organization_id: id }),
  z.object({ id, kind: z.literal('team'), organization_id: id, team_id: id }),
  z.object({ id, kind: z.literal('organization'), organization_id: id }),
]);

/** Returns the identity of a space; null if it was deleted. */
export function findSpace(db: Queryable, space_id: string): Promise<SpaceIdentity | null> {
  return db.maybeOne(sql.type(IdentityRow)`
    SELECT id, kind, account_id, organization_id, team_id FROM space WHERE id = ${space_id}`);
}

const MemberSpaceRow = z.object({ id, organization_id: id });

/** Returns a person's spaces in existing organizations, including those the person has left. */
export function listMemberSpaces(db: Queryable, account_id: string) {
  return db.any(sql.type(MemberSpaceRow)`
    SELECT s.id, s.organization_id FROM space s
    JOIN organization o ON o.id = s.organization_id AND o.deleted_at IS NULL
    WHERE s.account_id = ${account_id} AND s.kind = 'member' ORDER BY s.id`);
}
