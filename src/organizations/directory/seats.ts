import type { Authz } from '../../authz/authz.ts';
import type { Authority } from '../../caller/actor.ts';
import type { ScopeRef, ScopeState } from '../../caller/scope.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { MemberKey } from '../members/store.ts';
import { addSeat } from '../teams/seats/seats.ts';
import { deleteSeats } from '../teams/seats/store.ts';
import { slicesOf } from '../teams/seats/tuples.ts';

/** A member whose place in a group changes, with the membership's scope as it was read. */
export interface GroupMember extends MemberKey {
  /** The membership. */
  id: string;
  scope: ScopeState;
  /** Whether the member's seat changes too: those who are not active have none. */
  seat: boolean;
}

/** Identifies a team and its organization. */
interface TeamRef {
  organization_id: string;
  team_id: string;
}

type Also = (transaction: Transaction) => Promise<void>;

/** Each change of seats writes the scope of every member, so it has at most this many. */
export const MAX_SEATS_PER_CHANGE = 20;

/** Creates the functions that change the seats of many members at once. */
export function createGroupSeats({
  authz,
  endOutgrownAccess,
}: Pick<OrganizationsDependencies, 'endOutgrownAccess'> & { authz: Pick<Authz, 'change'> }) {
  /** Changes the places of up to `MAX_SEATS_PER_CHANGE` members in one team. */
  async function changeSeats(
    { actor, basis }: Authority,
    { team_id }: TeamRef,
    members: readonly GroupMember[],
    change: { reason: 'team_member.add' | 'team_member.remove'; work: Also },
  ): Promise<void> {
    const [first, ...rest] = members.map(({ scope }): ScopeRef => scope);
    if (first === undefined) return;
    await authz.change({
      ...{ actor, ...change },
      basis: basis && [...members.map(({ scope }) => scope), ...basis],
      writes: [first, ...rest],
      objects: members
        .filter(({ seat }) => seat)
        .flatMap((member) => slicesOf({ ...member, team_id })),
      targets: [
        { type: 'team', id: team_id },
        ...members.map(({ account_id }) => ({ type: 'account', id: account_id })),
      ],
    });
  }

  return {
    /** Gives members a seat without roles; `also` runs in the same transaction. */
    addSeats: (
      authority: Authority,
      team: TeamRef,
      members: readonly GroupMember[],
      also: Also,
    ): Promise<void> =>
      changeSeats(authority, team, members, {
        reason: 'team_member.add',
        async work(transaction) {
          for (const member of members)
            if (member.seat) {
              await addSeat(transaction, { ...team, membership_id: member.id }, []);
              await endOutgrownAccess(transaction, member, authority.actor);
            }
          await also(transaction);
        },
      }),
    removeSeats: (
      authority: Authority,
      team: TeamRef,
      members: readonly GroupMember[],
      also: Also,
    ): Promise<void> =>
      changeSeats(authority, team, members, {
        reason: 'team_member.remove',
        async work(transaction) {
          const ids = members.filter(({ seat }) => seat).map(({ id }) => id);
          await deleteSeats(transaction, team.team_id, ids);
          await also(transaction);
        },
      }),
  };
}
