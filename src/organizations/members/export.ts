import type { Queryable } from '../../platform/postgres/database.ts';
import { nameOf } from '../roles/kind.ts';
import { namedTeam, organizationRoles } from '../roles/system.ts';
import { exportMemberships } from './store.ts';

/** Returns a person's memberships, including ended ones, for the account export. */
export async function exportOrganizations(
  db: Queryable,
  account_id: string,
  limit: number,
): Promise<object[]> {
  const rows = await exportMemberships(db, account_id, limit);
  return rows.map(({ roles, teams, ...row }) => ({
    ...row,
    roles: roles.map(organizationRoles.resolve).map(nameOf),
    teams: teams.map(namedTeam),
  }));
}
