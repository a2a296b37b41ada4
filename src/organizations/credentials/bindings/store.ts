import { z } from 'zod';
import { sql } from '../../../platform/postgres/database.ts';
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import { apiKeys, oauthConnections } from '../kinds.ts';
import type { CredentialTable } from '../kinds.ts';

const BindingRow = z.object({ team_id: z.string() });
const IdRow = z.object({ id: z.string() });

/** Returns the teams that a credential is bound to, including deleted ones. */
export function listBindings(db: Queryable, kind: CredentialTable, id: string) {
  const { bindings, reference } = identifiersOf(kind);
  return db.anyFirst(sql.type(BindingRow)`
    SELECT team_id FROM ${bindings} WHERE ${reference} = ${id} ORDER BY team_id`);
}

/** Returns the live credentials of a person that are bound to a team, or one of them. */
export function listBoundCredentials(
  db: Queryable,
  kind: CredentialTable,
  { team_id, account_id, id }: { team_id: string; account_id: string; id: string | null },
) {
  const { table, bindings, reference } = identifiersOf(kind);
  return db.anyFirst(sql.type(IdRow)`
    SELECT c.id FROM ${bindings} b
    JOIN ${table} c ON c.id = b.${reference} AND c.revoked_at IS NULL
    JOIN membership m ON m.account_id = c.account_id AND m.organization_id = b.organization_id
    WHERE b.team_id = ${team_id} AND c.account_id = ${account_id}
      AND (${id}::uuid IS NULL OR c.id = ${id}::uuid)`);
}

/** Binds a credential to exactly these teams of its organization; deleted ones are left out. */
export async function replaceBindings(
  transaction: Transaction,
  kind: CredentialTable,
  { id, organization_id }: { id: string; organization_id: string },
  team_ids: readonly string[],
): Promise<void> {
  const { bindings, reference } = identifiersOf(kind);
  await transaction.query(sql.typeAlias('void')`
    DELETE FROM ${bindings} WHERE ${reference} = ${id}`);
  await transaction.query(sql.typeAlias('void')`
    INSERT INTO ${bindings} (${reference}, organization_id, team_id)
    SELECT ${id}, t.organization_id, t.id FROM team t
    WHERE t.organization_id = ${organization_id} AND t.deleted_at IS NULL
      AND t.id = ANY(${sql.array([...team_ids], 'uuid')})`);
}

/** Ends the bindings of these people's credentials, of all kinds, to a team. */
export async function removeBindings(
  transaction: Transaction,
  team_id: string,
  account_ids: readonly string[],
): Promise<void> {
  const people = sql.array([...account_ids], 'uuid');
  for (const { table, bindings, reference } of [apiKeys, oauthConnections].map(identifiersOf))
    await transaction.query(sql.typeAlias('void')`
      DELETE FROM ${bindings} WHERE team_id = ${team_id} AND ${reference} IN (
        SELECT id FROM ${table} WHERE account_id = ANY(${people}))`);
}

const identifiersOf = ({ table, bindings, reference }: CredentialTable) => ({
  table: sql.identifier([table]),
  bindings: sql.identifier([bindings]),
  reference: sql.identifier([reference]),
});
