import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import { newId } from '../../platform/ids.ts';
import { absent, unprocessable } from '../../platform/errors/refusal.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { findOrganizationState, lockOrganization } from '../store.ts';
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
import type { InvitedSeat } from '../invitations/seats/store.ts';
import { addSeat } from '../teams/seats/seats.ts';
import { seatObject } from '../teams/seats/tuples.ts';

export interface NewMember extends MemberKey {
  role_ids: readonly string[];
  /** Seats in teams, which the person gets in the same change. */
  seats?: readonly InvitedSeat[];
}

// Each is a scope of its own, and deleting the account writes all of them in one change.
const MAX_MEMBERSHIPS = 100;

/** Further steps of the transaction that adds a member. */
export interface Joining {
  /** What the person joins by. */
  target?: { type: 'invitation' | 'sso_connection'; id: string };
  /** Creates the person's account, whose scope the change creates too. */
  createAccount?(transaction: Transaction): Promise<void>;
  /** Called before limits are checked; throws if an invitation is no longer valid. */
  consume?(transaction: Transaction): Promise<void>;
  /** Called with the id of the membership once the person has joined. */
  complete?(transaction: Transaction, membership_id: string): Promise<void>;
}

/** Makes a person a member; the caller has checked that the roles and seats may be granted. */
export function createJoin({
  database,
  authz,
  plans,
  spaces,
  endOutgrownAccess,
}: Pick<
  OrganizationsDependencies,
  'database' | 'authz' | 'plans' | 'spaces' | 'endOutgrownAccess'
>) {
  return async function join(
    { role_ids, seats = [], ...member }: NewMember,
    { actor, basis }: Authority,
    joining: Joining | null = null,
  ): Promise<void> {
    const { organization_id, account_id } = member;
    if (joining === null) await requireNoMember(database.pool, member);
    const [former] = await findMemberships(database.pool, [member]);
    const membership = former ?? { id: newId(), ...member };
    const scope = { kind: 'membership', id: membership.id, organization_id } as const;
    const account = { kind: 'account', id: account_id } as const;
    const isNewAccount = joining?.createAccount !== undefined;
    await authz.change({
      ...{ actor, basis, reason: 'member.join' },
      // The account's scope makes concurrent joins of one person wait for each other; otherwise
      // each would try to insert a membership with its own id.
      writes: [scope, account],
      creates: [scope, ...(isNewAccount ? [account] : [])],
      objects: [
        ...[
          membershipObject(member),
          ...seats.map((seat) => seatObject({ ...seat, account_id })),
        ].map((object) => ({ object })),
        ...(isNewAccount
          ? [{ object: `account:${account_id}`, subject: `user:${account_id}` }]
          : []),
      ],
      targets: [{ type: 'account', id: account_id }, ...(joining?.target ? [joining.target] : [])],
      async work(transaction) {
        await joining?.createAccount?.(transaction);
        await lockBoth(transaction, member);
        await requireRoomForMembership(transaction, member);
        await joining?.consume?.(transaction);
        await requireRoomForMembers(transaction, plans, organization_id);
        // The person has joined in the meantime, possibly as a membership with another id.
        if (!(await insertMember(transaction, membership))) throw new ConcurrentUpdate();
        await spaces.addMember(transaction, membership);
        await insertRoles(transaction, membership, role_ids);
        for (const { team_id, role_ids: roles } of seats)
          await addSeat(
            transaction,
            { organization_id, team_id, membership_id: membership.id },
            roles,
          );
        await endOutgrownAccess(transaction, member, actor);
        await joining?.complete?.(transaction, membership.id);
      },
      detail: () => ({ organization_id, role_ids, teams: seats }),
    });
  };
}

async function requireNoMember(db: Queryable, member: MemberKey): Promise<void> {
  if ((await findRoleIds(db, member)) !== null) throw alreadyMember();
}

/**
 * Locks the person and the organization, so that limits are exact and neither can be deleted in the
 * meantime.
 */
async function lockBoth(
  transaction: Transaction,
  { account_id, organization_id }: MemberKey,
): Promise<void> {
  if ((await lockPlan(transaction, account_id)) === null) throw absent('the account was deleted');
  if ((await lockOrganization(transaction, organization_id)) === null)
    throw absent('the organization was deleted');
}

/**
 * Throws 422 if the person is in as many other organizations as one can be. Call it while the
 * account is locked.
 */
export async function requireRoomForMembership(
  transaction: Transaction,
  { account_id, organization_id }: MemberKey,
): Promise<void> {
  const others = (await listMemberships(transaction, account_id)).filter(
    (membership) => membership.organization_id !== organization_id,
  );
  if (others.length >= MAX_MEMBERSHIPS)
    throw unprocessable(
      'limit_reached',
      `A person can belong to at most ${MAX_MEMBERSHIPS} organizations, including those they have left.`,
    );
}

/**
 * Throws 422 if the organization's plan has no room for another member in addition to its members
 * and `others`, who are invited. Call it under the organization's lock.
 */
export async function requireRoomForMembers(
  transaction: Transaction,
  plans: OrganizationsDependencies['plans'],
  organization_id: string,
  others = 0,
): Promise<void> {
  const state = await findOrganizationState(transaction, organization_id);
  if (state === null) throw absent('the organization was deleted');
  const { members } = plans[state.plan];
  if ((await countMembers(transaction, organization_id)) + others >= members)
    throw unprocessable(
      'limit_reached',
      `The organization’s plan allows ${members} members, open invitations included. Remove a member or revoke an invitation first.`,
    );
}
