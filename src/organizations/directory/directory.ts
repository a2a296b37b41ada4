import type { Authority } from '../../caller/actor.ts';
import type { ScopeRef, ScopeState } from '../../caller/scope.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { revokeInvitationsTo } from '../invitations/store.ts';
import type { createJoin, Joining } from '../members/join.ts';
import { createMembershipEnd } from '../members/removal.ts';
import { findMember, markLeft } from '../members/store.ts';
import type { MemberKey } from '../members/store.ts';
import { MEMBER_ROLE } from '../roles/system.ts';
import { createTeamCreation } from '../teams/create.ts';
import { createTeamDeletion } from '../teams/deletion.ts';
import { addSeat } from '../teams/seats/seats.ts';
import { deleteSeats } from '../teams/seats/store.ts';
import { slicesOf } from '../teams/seats/tuples.ts';
import { isTeamNamed } from '../teams/store.ts';
import { createTeamUpdate } from '../teams/update.ts';

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

/**
 * Changes that the directory of an organization makes to members and teams. They are the ones that
 * people make, without the checks of what a person may grant: members get the role Member, seats no
 * role.
 */
export function createDirectoryChanges({
  join,
  ...dependencies
}: Pick<OrganizationsDependencies, 'database' | 'authz' | 'spaces' | 'keys'> & {
  join: ReturnType<typeof createJoin>;
  removeSoon(): void;
}) {
  const { database, authz } = dependencies;
  const createTeam = createTeamCreation(dependencies);

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
    findMember,
    /** Makes a person a member, with seats in these teams. */
    join: (
      member: MemberKey,
      team_ids: readonly string[],
      authority: Authority,
      joining: Joining,
    ): Promise<void> => {
      const seats = team_ids.map((team_id) => ({ team_id, role_ids: [] }));
      return join({ ...member, role_ids: [MEMBER_ROLE], seats }, authority, joining);
    },
    /** Ends a membership in the transaction that began it: the user is created inactive. */
    endAtOnce: (transaction: Transaction, membership_id: string) =>
      markLeft(transaction, membership_id),
    end: createMembershipEnd(dependencies),
    /** Ends the open invitations to an address: whoever was deactivated must not accept one. */
    revokeInvitationsTo,
    isTeamNamed,
    /** Creates a team without members, and returns its id. */
    createTeam: (
      authority: Authority,
      organization_id: string,
      fields: Parameters<typeof createTeam>[2],
      also: (transaction: Transaction, team: { id: string }) => Promise<void>,
    ) => createTeam(authority, organization_id, fields, { creator: null, also }),
    updateTeam: createTeamUpdate(dependencies),
    deleteTeam: createTeamDeletion(dependencies),
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
          for (const { id, seat } of members)
            if (seat) await addSeat(transaction, { ...team, membership_id: id }, []);
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
export type DirectoryChanges = ReturnType<typeof createDirectoryChanges>;
