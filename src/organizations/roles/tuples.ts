import type { Tuple } from '../../authz/authz.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import { isUuid } from '../../platform/ids.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import { findRoles, listRoleIds } from './store.ts';
import { organizationRoles } from './system.ts';

const isRoleId = (id: string) => isUuid(id) && id === id.toLowerCase();

/** Finds the scopes of custom roles: their organizations. */
export async function roleScopes(
  connection: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ScopeRef>> {
  const rows = await findRoles(connection, ids.filter(isRoleId));
  return new Map(
    rows.map(({ id, organization_id }) => [id, { kind: 'organization', id: organization_id }]),
  );
}

export const listRoleObjects = (
  connection: Connection,
  { id }: ScopeRef,
): Promise<readonly string[]> => listRoleIds(connection, id);

/** Returns the tuples of a custom role's permissions and capabilities; those of its holders are separate. */
export async function projectRole(connection: Connection, id: string): Promise<Tuple[]> {
  if (!isRoleId(id)) return [];
  return (await findRoles(connection, [id])).flatMap(organizationRoles.tuplesOf);
}
