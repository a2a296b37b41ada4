import { systemAuthority } from '../../caller/actor.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { deleteInvitations } from '../invitations/store.ts';
import { deleteMemberships, someMemberships } from '../members/store.ts';
import type { MembershipRow } from '../members/store.ts';
import { membershipObject } from '../members/tuples.ts';
import { deleteRoles, listCustomRoles } from '../roles/store.ts';
import { organizationRoles } from '../roles/system.ts';
import { listDeleted, removeOrganization } from '../store.ts';
import { createTeamRemoval } from '../teams/removal.ts';
import { deleteTeamRoles, listTeamRoleIds } from '../teams/roles/store.ts';
import { teamRoles } from '../teams/roles/system.ts';
import { listSeatsOf } from '../teams/seats/store.ts';
import { seatObject } from '../teams/seats/tuples.ts';
import { removeTeamsOf } from '../teams/store.ts';
import { createBackground } from './background.ts';
import type { Background } from './background.ts';

// Each membership is a scope of its own, with a Write to OpenFGA: these many are through within the
// second that a change waits, so that other changes never queue behind a large organization.
const BATCH = 20;
const MAX_ORGANIZATIONS = 100;
type Dependencies = Pick<OrganizationsDependencies, 'database' | 'authz' | 'log' | 'spaces'>;

/**
 * Removes the memberships, roles, teams and rows of deleted organizations and teams, in the
 * background: they give nothing any more. Safe to run on every instance.
 */
export function createRemover({ database, authz, log, spaces }: Dependencies): Background {
  const removeDeletedTeams = createTeamRemoval({ database, authz });

  async function removeMembers(memberships: readonly MembershipRow[]): Promise<void> {
    const ids = memberships.map(({ id }) => id);
    const seats = await listSeatsOf(database.pool, ids);
    const [first, ...rest] = memberships.map(({ id }): ScopeRef => ({ kind: 'membership', id }));
    await authz.change({
      ...systemAuthority,
      reason: 'organization.remove',
      writes: [first!, ...rest],
      objects: [...memberships.map(membershipObject), ...seats.map(seatObject)].map((object) => ({
        object,
      })),
      targets: [{ type: 'organization', id: memberships[0]!.organization_id }],
      work: (transaction) => deleteMemberships(transaction, ids),
    });
  }

  async function removeRest(id: string): Promise<void> {
    const roles = (await listCustomRoles(database.pool, id)).map((role) => role.id);
    const ofTeams = await listTeamRoleIds(database.pool, { organization_id: id });
    await authz.change({
      ...systemAuthority,
      reason: 'organization.remove',
      writes: [{ kind: 'organization', id }],
      objects: [...roles.map(organizationRoles.objectOf), ...ofTeams.map(teamRoles.objectOf)].map(
        (object) => ({ object }),
      ),
      targets: [{ type: 'organization', id }],
      async work(transaction) {
        await deleteInvitations(transaction, id);
        await deleteRoles(transaction, id, roles);
        await deleteTeamRoles(transaction, ofTeams);
        await removeTeamsOf(transaction, id);
        await spaces.remove(transaction, id);
        await removeOrganization(transaction, id);
      },
    });
  }

  async function removeAll(): Promise<void> {
    await removeDeletedTeams();
    for (const id of await listDeleted(database.pool, MAX_ORGANIZATIONS)) {
      for (;;) {
        const memberships = await someMemberships(database.pool, id, BATCH);
        if (memberships.length === 0) break;
        await removeMembers(memberships);
      }
      await removeRest(id);
    }
  }

  return createBackground(removeAll, (error) =>
    log.warn({ err: error }, 'deleted organizations and teams are removed later'),
  );
}
