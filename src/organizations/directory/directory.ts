import type { Actor, Authority } from '../../caller/actor.ts';
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
import { isTeamNamed } from '../teams/store.ts';
import { createTeamUpdate } from '../teams/update.ts';
import { createGroupSeats } from './seats.ts';

/**
 * Changes that the directory of an organization makes to members and teams. They are the ones that
 * people make, without the checks of what a person may grant: members get the role Member, seats no
 * role.
 */
export function createDirectoryChanges({
  join,
  ...dependencies
}: Pick<
  OrganizationsDependencies,
  'database' | 'authz' | 'spaces' | 'endSsoAccess' | 'endOutgrownAccess'
> & {
  join: ReturnType<typeof createJoin>;
  removeSoon(): void;
}) {
  const createTeam = createTeamCreation(dependencies);

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
    async endAtOnce(
      transaction: Transaction,
      { id, organization_id, account_id }: MemberKey & { id: string },
      actor: Actor,
    ): Promise<void> {
      const accounts = { organization_id, account_ids: [account_id] };
      await dependencies.endSsoAccess(transaction, accounts, actor);
      await markLeft(transaction, id);
    },
    end: createMembershipEnd(dependencies),
    /** Ends the open invitations to an address: a person who was deactivated must not accept one. */
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
    ...createGroupSeats(dependencies),
  };
}
export type DirectoryChanges = ReturnType<typeof createDirectoryChanges>;
