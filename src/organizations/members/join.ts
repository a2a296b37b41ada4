import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import { newId } from '../../platform/ids.ts';
import { absent, unprocessable } from '../../platform/errors/refusal.ts';
import type { Connection, Transaction } from '../../platform/postgres/database.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { findState, lockOrganization } from '../store.ts';
import {
  countMembers,
  listMemberships,
  findMemberships,
  findRoleIds,
  insertMember,
  insertRoles,
  lockPlan,
} from './store.ts';
import { alreadyMember } from './rules.ts';
import type { MemberKey } from './store.ts';
import { membershipObject } from './tuples.ts';

export interface Joining extends MemberKey {
  role_ids: readonly string[];
}

// Each is a scope that deleting the account writes, in one change.
const MAX_MEMBERSHIPS = 100;

/** The acceptance of an invitation, which is consumed in the transaction that makes the member. */
export interface Acceptance {
  invitation_id: string;
  /** Throws if the invitation has ended. */
  consume(transaction: Transaction): Promise<void>;
}

/** Makes a person a member; the caller has decided that the roles may be given. */
export function createJoin({
  database,
  authz,
  plans,
}: Pick<OrganizationsDependencies, 'database' | 'authz' | 'plans'>) {
  return async function join(
    { role_ids, ...member }: Joining,
    { actor, basis }: Authority,
    acceptance: Acceptance | null = null,
  ): Promise<void> {
    const { organization_id, account_id } = member;
    if (acceptance === null) await requireNoMember(database.pool, member);
    const [left] = await findMemberships(database.pool, [member]);
    const membership = left ?? { id: newId(), ...member };
    const scope = { kind: 'membership', id: membership.id } as const;
    await authz.change({
      ...{ actor, basis, reason: 'member.join' },
      // With the account's scope, concurrent joins of one person wait for each other: until the first
      // commits, each has a membership of its own in mind.
      writes: [scope, { kind: 'account', id: account_id }],
      creates: [scope],
      objects: [{ object: membershipObject(member) }],
      targets: [
        { type: 'account', id: account_id },
        ...(acceptance ? [{ type: 'invitation', id: acceptance.invitation_id }] : []),
      ],
      async work(transaction) {
        await requirePlace(transaction, member);
        await acceptance?.consume(transaction);
        await requireRoom(transaction, plans, organization_id);
        // Joined meanwhile, perhaps by a membership with another id.
        if (!(await insertMember(transaction, membership))) throw new ConcurrentUpdate();
        await insertRoles(transaction, membership, role_ids);
      },
      detail: () => ({ organization_id, role_ids }),
    });
  };
}

async function requireNoMember(connection: Connection, member: MemberKey): Promise<void> {
  if ((await findRoleIds(connection, member)) !== null) throw alreadyMember();
}

/**
 * Locks person and organization, so that the limits are exact and neither is deleted meanwhile.
 * Throws 422 if the person is in too many organizations.
 */
async function requirePlace(transaction: Transaction, member: MemberKey): Promise<void> {
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
}

/**
 * Throws 422 if the members, and `others` who are to become members, fill the organization's plan.
 * Call it under the organization's lock.
 */
export async function requireRoom(
  transaction: Transaction,
  plans: OrganizationsDependencies['plans'],
  organization_id: string,
  others = 0,
): Promise<void> {
  const state = await findState(transaction, organization_id);
  if (state === null) throw absent('the organization was deleted');
  const { members } = plans[state.plan];
  if ((await countMembers(transaction, organization_id)) + others >= members)
    throw unprocessable(
      'limit_reached',
      `The organization’s plan allows ${members} members, open invitations included.`,
    );
}
