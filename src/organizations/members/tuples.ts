import type { Tuple } from '../../authz/authz.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import { parsePair } from '../../platform/ids.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { organizationRoles } from '../roles/system.ts';
import { findMembershipById, findMemberships, findRoleIds } from './store.ts';
import type { MemberKey } from './store.ts';

/** Returns a member's context object in OpenFGA. */
export const membershipObject = (member: MemberKey) =>
  `membership:${membershipName(member)}` as const;

const membershipName = ({ organization_id, account_id }: MemberKey) =>
  `${organization_id}.${account_id}`;

/** Parses the id of a membership object, `<organization>.<account>`; null for any other text. */
export function memberOf(id: string): MemberKey | null {
  const ids = parsePair(id);
  return ids && { organization_id: ids[0], account_id: ids[1] };
}

/** Finds the scopes of membership objects; a scope remains after the person has left. */
export async function membershipScopes(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ScopeRef>> {
  const members = ids.map(memberOf).filter((part) => part !== null);
  if (members.length === 0) return new Map();
  const rows = await findMemberships(db, members);
  return new Map(rows.map((row) => [membershipName(row), { kind: 'membership', id: row.id }]));
}

export async function listMembershipObjects(
  db: Queryable,
  { id }: ScopeRef,
): Promise<readonly string[]> {
  const row = await findMembershipById(db, id);
  return row === null ? [] : [membershipName(row)];
}

/** Returns the root tuple of a membership, without which it grants nothing. */
export async function projectPerson(
  db: Queryable,
  id: string,
  subject: string | null,
): Promise<Tuple[]> {
  const member = memberOf(id);
  if (member === null || (subject ?? member.account_id) !== member.account_id) return [];
  if ((await findRoleIds(db, member)) === null) return [];
  const user = `account:${member.account_id}`;
  return [{ user, relation: 'person', object: membershipObject(member) }];
}

export async function projectHeldRoles(
  db: Queryable,
  id: string,
  subject: string | null,
): Promise<Tuple[]> {
  const member = memberOf(id);
  const roleIds = member && (await findRoleIds(db, member));
  return (roleIds ?? [])
    .map(organizationRoles.objectOf)
    .filter((user) => subject === null || user === `org_role:${subject}`)
    .map((user) => ({ user, relation: 'role', object: `membership:${id}` }));
}
