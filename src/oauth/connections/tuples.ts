import { capabilityByScope, permissionByScope } from '../../authz/permissions.ts';
import type { PermissionContext } from '../../authz/permissions.ts';
import type { Tuple } from '../../authz/authz.ts';
import { findMemberships, memberOf, seatOf } from '../../organizations/organizations.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import { listAuthority, listBoundConnections } from './authority.ts';

type CreateTuple = (relation: string) => Tuple;

/** Creates a function that returns the tuples of a subject on an object. */
const tupleOf =
  (user: string, object: string): CreateTuple =>
  (relation) => ({ user, relation, object });

const CARRIED = {
  personal: 'carried',
  organization: 'carried',
  team: 'team_carried',
} as const satisfies Record<PermissionContext, string>;

/**
 * Returns the relations of scopes on a context object, each once: `declared_*` for capabilities,
 * `carried_*` for permissions. A connection counts as granted where it works (G6).
 */
export const scopeRelations = (scopes: readonly string[], contexts: readonly PermissionContext[]) =>
  new Set([
    'granted',
    ...scopes.flatMap((name) => {
      const capability = capabilityByScope(name);
      if (capability !== null) return [`declared_${capability}`];
      const permission = permissionByScope(name);
      if (permission === null || !contexts.includes(permission.context)) return [];
      return [`${CARRIED[permission.context]}_${permission.relation}`];
    }),
  ]);

/** Projects the live connections of a person, or one of them, to tuples on the account. */
export async function projectConnections(
  connection: Connection,
  account_id: string,
  id: string | null,
): Promise<Tuple[]> {
  const rows = await listAuthority(connection, account_id, id);
  return rows.flatMap((row) => {
    const tuple = tupleOf(`connection:${row.id}`, `account:${account_id}`);
    const own = ['runs_here', ...scopeRelations(row.scopes, ['personal'])];
    return [...(row.organization_id === null ? own.map(tuple) : []), tuple('principal')];
  });
}

/**
 * Projects the live connections of a person in an organization, or one of them, to tuples on the
 * membership. As for keys, an ended membership keeps them: they grant nothing without `person`.
 */
export async function projectMemberConnections(
  connection: Connection,
  membership: string,
  id: string | null,
): Promise<Tuple[]> {
  const member = memberOf(membership);
  if (member === null || (await findMemberships(connection, [member])).length === 0) return [];
  const rows = await listAuthority(connection, member.account_id, id);
  return rows
    .filter(({ organization_id }) => organization_id === member.organization_id)
    .flatMap((row) =>
      [
        'runs_here',
        ...(row.follows_teams ? ['follows_teams'] : []),
        ...(row.has_own_authority ? ['frozen'] : []),
        ...scopeRelations(row.scopes, ['organization', 'team']),
      ].map(tupleOf(`connection:${row.id}`, `membership:${membership}`)),
    );
}

/** Projects the live connections of a person that are bound to a team, or one of them, to tuples. */
export async function projectBoundConnections(
  connection: Connection,
  seat: string,
  id: string | null,
): Promise<Tuple[]> {
  const seatKey = seatOf(seat);
  const ids = seatKey === null ? [] : await listBoundConnections(connection, seatKey, id);
  return ids.map((one) => tupleOf(`connection:${one}`, `team_seat:${seat}`)('bound'));
}
