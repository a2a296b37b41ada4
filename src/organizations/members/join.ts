import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import { newId } from '../../platform/ids.ts';
import { absent, conflict, unprocessable } from '../../platform/errors/refusal.ts';
import type { Connection, Transaction } from '../../platform/postgres/database.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { lockOrganization } from '../store.ts';
import {
  countMembers,
  listMemberships,
  findMemberships,
  findRoleIds,
  insertMember,
  insertRoles,
  lockPlan,
} from './store.ts';
import type { MemberKey } from './store.ts';
import { membershipObject } from './tuples.ts';

export interface Joining extends MemberKey {
  role_ids: readonly string[];
}

// Each is a scope that deleting the account writes, in one change.
const MAX_MEMBERSHIPS = 100;
const MAX_MEMBERS = 10_000;

/** Makes a person a member; the caller has decided that the roles may be given. */
export function createJoin({
  database,
  authz,
}: Pick<OrganizationsDependencies, 'database' | 'authz'>) {
  return async function join(
    { role_ids, ...member }: Joining,
    { actor, basis }: Authority,
  ): Promise<void> {
    const { organization_id, account_id } = member;
    await requireNoMember(database.pool, member);
    const [left] = await findMemberships(database.pool, [member]);
    const membership = left ?? { id: newId(), ...member };
    const scope = { kind: 'membership', id: membership.id } as const;
    await authz.change({
      ...{ actor, basis, reason: 'member.join' },
      writes: [scope],
      creates: [scope],
      objects: [{ object: membershipObject(member) }],
      targets: [{ type: 'account', id: account_id }],
      async work(transaction) {
        await requireRoom(transaction, member);
        // Joined meanwhile, by a membership with another id.
        if (!(await insertMember(transaction, membership))) throw new ConcurrentUpdate();
        await insertRoles(transaction, membership, role_ids);
      },
      detail: () => ({ organization_id, role_ids }),
    });
  };
}

async function requireNoMember(connection: Connection, member: MemberKey): Promise<void> {
  if ((await findRoleIds(connection, member)) !== null)
    throw conflict('already_member', 'This person is a member already.');
}

/** Locks person and organization, so that both limits are exact and neither is deleted meanwhile. */
async function requireRoom(transaction: Transaction, member: MemberKey): Promise<void> {
  const { account_id, organization_id } = member;
  if ((await lockPlan(transaction, account_id)) === null) throw absent('the account was deleted');
  if ((await lockOrganization(transaction, organization_id)) === null)
    throw absent('the organization was deleted');
  const others = (await listMemberships(transaction, account_id)).filter(
    (one) => one.organization_id !== organization_id,
  );
  if (others.length >= MAX_MEMBERSHIPS)
    throw unprocessable(
      'limit_reached',
      `A person is in ${MAX_MEMBERSHIPS} organizations at most.`,
    );
  if ((await countMembers(transaction, organization_id)) >= MAX_MEMBERS)
    throw unprocessable('limit_reached', `An organization has ${MAX_MEMBERS} members at most.`);
}
