import {
  organizationPermissionByGrant,
  personalPermissionByGrant,
  teamPermissionByGrant,
} from '../authz/permissions.ts';
import type { Tuple } from '../authz/authz.ts';
import { findMemberships, memberOf, seatOf } from '../organizations/organizations.ts';
import type { Connection } from '../platform/postgres/database.ts';
import { listAuthority } from './authority.ts';
import type { AuthorityRow } from './authority.ts';
import { listBoundKeys } from './bindings/store.ts';
import type { Grant } from './schema.ts';

/** Projects the live keys of an account, or one of them, to tuples on the account. */
export async function projectKeys(
  connection: Connection,
  account_id: string,
  id: string | null,
): Promise<Tuple[]> {
  const owner = { kind: 'account', id: account_id } as const;
  const keys = await listAuthority(connection, { owner, id });
  return keys.flatMap((key) => accountTuples(key, account_id));
}

/**
 * Projects the live keys of a person, or one of them, to tuples on a membership. An ended
 * membership keeps these tuples: without its `person` tuple they grant nothing, and the keys work
 * again if the person joins again.
 */
export async function projectMemberKeys(
  connection: Connection,
  membership: string,
  id: string | null,
): Promise<Tuple[]> {
  const member = memberOf(membership);
  if (member === null || (await findMemberships(connection, [member])).length === 0) return [];
  const owner = { kind: 'account', id: member.account_id } as const;
  const keys = await listAuthority(connection, { owner, id });
  return keys.flatMap((key) => {
    const tuple = tupleOf(`api_key:${key.id}`, `membership:${membership}`);
    const runsHere = key.org_scope === member.organization_id;
    return [
      ...(runsHere ? [tuple('runs_here'), ...declaredRelations(key).map(tuple)] : []),
      ...(runsHere && key.follows_teams ? [tuple('follows_teams')] : []),
      ...grantRelations(grantFor(key.grants, member.organization_id)).map(tuple),
    ];
  });
}

/** Projects the live keys of a person that are bound to a team, or one of them, to tuples. */
export async function projectBoundKeys(
  connection: Connection,
  seat: string,
  id: string | null,
): Promise<Tuple[]> {
  const seatKey = seatOf(seat);
  const keys = seatKey === null ? [] : await listBoundKeys(connection, seatKey, id);
  return keys.map((key) => tupleOf(`api_key:${key}`, `team_seat:${seat}`)('bound'));
}

/** Returns the organizations in which a key has tuples: where it runs, and where it has a grant. */
export const organizationsOf = ({
  org_scope,
  grants,
}: {
  org_scope: string | null;
  grants: readonly Grant[];
}): Set<string> =>
  new Set([
    ...(org_scope === null ? [] : [org_scope]),
    ...grants.flatMap(({ scope }) => (scope.type === 'org' ? [scope.org_id] : [])),
  ]);

/** Returns the grant for an organization; null if there is none. */
export const grantFor = (grants: readonly Grant[], organization_id: string): Grant | null =>
  grants.find(({ scope }) => scope.type === 'org' && scope.org_id === organization_id) ?? null;

/**
 * Returns the tuples of an active key on its account. Grants are written as stored; the model
 * derives the implied read permissions (G1).
 */
export function accountTuples(key: AuthorityRow, account_id: string): Tuple[] {
  const tuple = tupleOf(`api_key:${key.id}`, `account:${account_id}`);
  const grant = key.grants.find(({ scope }) => scope.type === 'personal');
  return [
    ...(key.org_scope === null ? [tuple('runs_here'), ...declaredRelations(key).map(tuple)] : []),
    ...(grant ? [tuple('granted')] : []),
    ...relationsOf(grant, (name) => prefixRelation('carried', personalPermissionByGrant(name))).map(
      tuple,
    ),
    tuple('principal'),
  ];
}

type CreateTuple = (relation: string) => Tuple;

/** Creates a function that returns the tuples of a subject on an object. */
const tupleOf =
  (user: string, object: string): CreateTuple =>
  (relation) => ({ user, relation, object });

/** Returns the relations of the capabilities that a key has where it runs. */
export const declaredRelations = ({
  mcp_capabilities,
}: Pick<AuthorityRow, 'mcp_capabilities'>): string[] =>
  mcp_capabilities.map((capability) => `declared_${capability}`);

/** Returns the relations of a grant for an organization; an empty list if there is no grant. */
export function grantRelations(grant: Grant | null): string[] {
  if (grant === null) return [];
  const relations = relationsOf(
    grant,
    (name) =>
      prefixRelation('carried', organizationPermissionByGrant(name)) ??
      prefixRelation('team_carried', teamPermissionByGrant(name)),
  );
  const isKey = relations.includes(MARKED) ? ['is_key'] : [];
  return ['granted', ...relations, ...isKey];
}

/**
 * A key that carries this also carries the permission to read the audit log, a token does not: the
 * tuple `is_key` tells them apart.
 */
const MARKED = 'carried_profile_write';

/** Returns the relations of a grant, each once; unknown names have none. */
function relationsOf(
  grant: Grant | undefined,
  relationOf: (name: string) => string | null,
): string[] {
  return [...new Set((grant?.permissions ?? []).flatMap((name) => relationOf(name) ?? []))];
}

const prefixRelation = (prefix: string, permission: { relation: string } | null) =>
  permission && `${prefix}_${permission.relation}`;
