import type { Tuple } from '../../../authz/authz.ts';
import type { ScopeRef } from '../../../caller/scope.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { Connection } from '../../../platform/postgres/database.ts';
import { findTeamRoles, listTeamRoleIds } from './store.ts';
import { teamRoles } from './system.ts';

const isRoleId = (id: string) => isUuid(id) && id === id.toLowerCase();

/** Finds the scopes of custom team roles: their organizations. */
export async function teamRoleScopes(
  connection: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ScopeRef>> {
  const rows = await findTeamRoles(connection, ids.filter(isRoleId));
  return new Map(
    rows.map(({ id, organization_id }) => [id, { kind: 'organization', id: organization_id }]),
  );
}

export const listTeamRoleObjects = (
  connection: Connection,
  { id }: ScopeRef,
): Promise<readonly string[]> => listTeamRoleIds(connection, { organization_id: id });

/** Returns the tuples of what a team role contains; its members' tuples do not depend on them. */
export async function projectTeamRole(connection: Connection, id: string): Promise<Tuple[]> {
  if (!isRoleId(id)) return [];
  return (await findTeamRoles(connection, [id])).flatMap(teamRoles.tuplesOf);
}
