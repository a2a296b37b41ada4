import type { Tuple } from '../../authz/authz.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import { isUuid } from '../../platform/ids.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { RoleKind } from './kind.ts';
import { findRoles, listRoleIds } from './store.ts';
import { organizationRoles, teamRoles } from './system.ts';

const isRoleId = (id: string) => isUuid(id) && id === id.toLowerCase();

const tuplesOfKind = (kind: RoleKind) => ({
  /** Finds the scopes of custom roles: their organizations. */
  async scopesOf(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, ScopeRef>> {
    const rows = await findRoles(db, kind, ids.filter(isRoleId));
    return new Map(
      rows.map(({ id, organization_id }) => [id, { kind: 'organization', id: organization_id }]),
    );
  },
  list: (db: Queryable, { id }: ScopeRef): Promise<readonly string[]> => listRoleIds(db, kind, id),
  /** Returns the tuples of what a custom role contains; those of its holders are separate. */
  async project(db: Queryable, id: string): Promise<Tuple[]> {
    if (!isRoleId(id)) return [];
    return (await findRoles(db, kind, [id])).flatMap(kind.tuplesOf);
  },
});

/** Project custom roles to tuples. */
export const organizationRoleTuples = tuplesOfKind(organizationRoles);
export const teamRoleTuples = tuplesOfKind(teamRoles);
