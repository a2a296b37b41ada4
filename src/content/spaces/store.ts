import { z } from 'zod';
import { sql } from '../../platform/postgres/database.ts';
import type { Connection, Transaction } from '../../platform/postgres/database.ts';
import type { SpaceIdentity } from './space.ts';

/** Creates an account's personal space, in the transaction that creates the account. */
export async function insertPersonalSpace(
  transaction: Transaction,
  account_id: string,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO space (id, kind, account_id) VALUES (${account_id}, 'personal', ${account_id})`);
}

/** Creates the space of an organization's catalog, in the transaction that creates it. */
export async function insertOrganizationSpace(
  transaction: Transaction,
  organization_id: string,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO space (id, kind, organization_id)
    VALUES (${organization_id}, 'organization', ${organization_id})`);
}

/** Deletes all spaces of an organization with their content. */
export async function deleteSpacesOf(
  transaction: Transaction,
  organization_id: string,
): Promise<void> {
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM space WHERE organization_id = ${organization_id}`);
}

const id = z.string();
const IdentityRow = z.discriminatedUnion('kind', [
  z.object({ id, kind: z.literal('personal'), account_id: id }),
  z.object({ id, kind: z.literal('member'), account_id: id, organization_id: id }),
  z.object({ id, kind: z.literal('team'), organization_id: id, team_id: id }),
  z.object({ id, kind: z.literal('organization'), organization_id: id }),
]);

/** Returns the identity of a space; null if it was deleted. */
export function findSpace(connection: Connection, space_id: string): Promise<SpaceIdentity | null> {
  return connection.maybeOne(sql.type(IdentityRow)`
    SELECT id, kind, account_id, organization_id, team_id FROM space WHERE id = ${space_id}`);
}
