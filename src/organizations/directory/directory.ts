import type { Authority } from '../../caller/actor.ts';
import type { ScopeRef, ScopeState } from '../../caller/scope.ts';
import type { Connection, Transaction } from '../../platform/postgres/database.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { revokeInvitationsTo } from '../invitations/store.ts';
import type { createJoin } from '../members/join.ts';
import { createMembershipEnd } from '../members/removal.ts';
import { findMember } from '../members/store.ts';
import type { MemberKey } from '../members/store.ts';
import { MEMBER_ROLE } from '../roles/system.ts';
import { createTeamCreation } from '../teams/create.ts';
import { createTeamDeletion } from '../teams/deletion.ts';
import { addSeat } from '../teams/seats/seats.ts';
import { deleteSeats } from '../teams/seats/store.ts';
import { slicesOf } from '../teams/seats/tuples.ts';
import { isTeamNamed } from '../teams/store.ts';
import { createTeamUpdate } from '../teams/update.ts';

/** A member whose seat changes, with the membership's scope as it was read. */
export interface SeatedMember extends MemberKey {
  id: string;
  scope: ScopeState;
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

  /** Changes the seats of up to `MAX_SEATS_PER_CHANGE` members in one team. */
  async function changeSeats(
    { actor, basis }: Authority,
    { team_id }: TeamRef,
    members: readonly SeatedMember[],
    change: { reason: 'team_member.add' | 'team_member.remove'; work: Also },
  ): Promise<void> {
    const [first, ...rest] = members.map(({ scope }): ScopeRef => scope);
    if (first === undefined) return;
    await authz.change({
      ...{ actor, reason: change.reason, work: change.work },
      basis: basis && [...members.map(({ scope }) => scope), ...basis],
      writes: [first, ...rest],
      objects: members.flatMap((member) => slicesOf({ ...member, team_id })),
      targets: [
        { type: 'team', id: team_id },
        ...members.map(({ account_id }) => ({ type: 'account', id: account_id })),
      ],
    });
  }

  return {
    findMember: (connection: Connection, key: MemberKey) => findMember(connection, key),
    /** Makes a person a member, with seats in these teams. */
    join: (
      member: MemberKey,
      team_ids: readonly string[],
      authority: Authority,
      joining: Required<Pick<Parameters<typeof join>[2] & object, 'complete'>> &
        Parameters<typeof join>[2],
    ) =>
      join(
        {
          ...member,
          role_ids: [MEMBER_ROLE],
          seats: team_ids.map((team_id) => ({ team_id, role_ids: [] })),
        },
        authority,
        joining,
      ),
    end: createMembershipEnd(dependencies),
    /** Ends the open invitations to an address: whoever was deactivated must not accept one. */
    revokeInvitationsTo,
    isTeamNamed: (connection: Connection, organization_id: string, name: string) =>
      isTeamNamed(connection, { organization_id, name, except: null }),
    /** Creates a team without members, and returns its id. */
    createTeam: (
      authority: Authority,
      organization_id: string,
      fields: Parameters<typeof createTeam>[2],
      also: (transaction: Transaction, team: { id: string }) => Promise<void>,
    ) => createTeam(authority, organization_id, fields, { creator: null, also }),
    updateTeam: createTeamUpdate(dependencies),
    deleteTeam: createTeamDeletion(dependencies),
    addSeats: (
      authority: Authority,
      team: TeamRef,
      members: readonly SeatedMember[],
    ): Promise<void> =>
      changeSeats(authority, team, members, {
        reason: 'team_member.add',
        async work(transaction) {
          for (const { id } of members)
            await addSeat(transaction, { ...team, membership_id: id }, []);
        },
      }),
    removeSeats: (
      authority: Authority,
      team: TeamRef,
      members: readonly SeatedMember[],
    ): Promise<void> =>
      changeSeats(authority, team, members, {
        reason: 'team_member.remove',
        work: (transaction) =>
          deleteSeats(
            transaction,
            team.team_id,
            members.map(({ id }) => id),
          ),
      }),
  };
}
export type DirectoryChanges = ReturnType<typeof createDirectoryChanges>;
