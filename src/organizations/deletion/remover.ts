import { systemAuthority } from '../../caller/actor.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import { listServiceBatch } from '../credentials/team-changes.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { deleteInvitations } from '../invitations/store.ts';
import { deleteMemberships, listMembershipBatch } from '../members/store.ts';
import { membershipObject } from '../members/tuples.ts';
import { organizationHolders, teamHolders } from '../roles/holders.ts';
import { createRoleRemoval } from '../roles/removal.ts';
import { deleteRoles, listDeletedRoles, listRoleIds } from '../roles/store.ts';
import { organizationRoles, teamRoles } from '../roles/system.ts';
import { listDeletedOrganizations, removeOrganization } from '../store.ts';
import { createTeamRemoval } from '../teams/removal.ts';
import { listSeatsOf } from '../teams/seats/store.ts';
import { seatObject } from '../teams/seats/tuples.ts';
import { listDeletedTeams, removeTeamsOf } from '../teams/store.ts';
import { createBackground } from '../../platform/concurrency/background.ts';
import type { Background } from '../../platform/concurrency/background.ts';

// Each membership is a scope of its own, which takes a Write to OpenFGA. A change waits for up to a
// second; this many are applied in that time, so other changes never queue behind a large batch.
const BATCH = 20;
// Maximum number per run, oldest deletions first.
const MAX_ORGANIZATIONS = 100;
const MAX_TEAMS = 100;
const MAX_ROLES = 100;
type Dependencies = Pick<
  OrganizationsDependencies,
  'database' | 'authz' | 'log' | 'spaces' | 'deleteServices' | 'removeReviews'
>;

/**
 * Removes the memberships, roles, teams and rows of deleted organizations and teams in the
 * background, since they no longer grant anything, and deleted roles, which grant what their
 * replacements do. Safe to run on every instance.
 */
export function createRemover(dependencies: Dependencies): Background & {
  /** Ends a member's seats in deleted teams now. */
  removeDeletedSeats(membership_id: string): Promise<void>;
} {
  const { database, log, spaces, removeReviews } = dependencies;
  const { removeMembers, removeKeys, removeRest } = createSteps(dependencies);
  const { removeTeam, removeDeletedSeats } = createTeamRemoval(dependencies);
  const roleRemovals = [organizationHolders, teamHolders].map((holders) => ({
    kind: holders.kind,
    removeRole: createRoleRemoval(holders, dependencies),
  }));

  const logFailure = (error: unknown) =>
    log.warn(
      { err: error },
      'removing deleted organizations, teams or roles failed; next attempt in a minute',
    );

  async function removeOrganizationRows(id: string): Promise<void> {
    while (await removeMembers(id));
    while (await removeKeys(id));
    while (await spaces.removeItems(database.pool, { organization_id: id }));
    while (await removeReviews(database.pool, id));
    await removeRest(id);
  }

  /** Logs a failed removal, so that it does not prevent the removal of the others. */
  async function removeAll(): Promise<void> {
    for (const { kind, removeRole } of roleRemovals)
      for (const role of await listDeletedRoles(database.pool, kind, MAX_ROLES))
        await removeRole(role).catch(logFailure);
    for (const team of await listDeletedTeams(database.pool, MAX_TEAMS))
      await removeTeam(team).catch(logFailure);
    for (const id of await listDeletedOrganizations(database.pool, MAX_ORGANIZATIONS))
      await removeOrganizationRows(id).catch(logFailure);
  }

  const background = createBackground(removeAll, logFailure);
  return { ...background, removeDeletedSeats };
}

/** Creates the steps that remove a deleted organization. */
function createSteps({ database, authz, spaces, deleteServices }: Dependencies) {
  /** Removes a batch of members; returns false if there were none left. */
  async function removeMembers(organization_id: string): Promise<boolean> {
    const memberships = await listMembershipBatch(database.pool, organization_id, BATCH);
    const ids = memberships.map(({ id }) => id);
    const seats = await listSeatsOf(database.pool, ids);
    const [first, ...rest] = memberships.map(({ id }): ScopeRef => ({ kind: 'membership', id }));
    if (first === undefined) return false;
    await authz.change({
      ...systemAuthority,
      reason: 'organization.remove',
      writes: [first, ...rest],
      objects: [...memberships.map(membershipObject), ...seats.map(seatObject)].map((object) => ({
        object,
      })),
      targets: [{ type: 'organization', id: organization_id }],
      work: (transaction) => deleteMemberships(transaction, ids),
    });
    return true;
  }

  /** Removes a batch of the organization's keys; returns false if there were none left. */
  async function removeKeys(organization_id: string): Promise<boolean> {
    const { ids, writes, objects } = await listServiceBatch(database.pool, organization_id, BATCH);
    const [first, ...rest] = writes;
    if (first === undefined) return false;
    await authz.change({
      ...systemAuthority,
      reason: 'organization.remove',
      writes: [first, ...rest],
      objects,
      targets: [{ type: 'organization', id: organization_id }],
      work: (transaction) => deleteServices(transaction, organization_id, ids),
    });
    return true;
  }

  async function removeRest(id: string): Promise<void> {
    const roles = await listRoleIds(database.pool, organizationRoles, id);
    const rolesInTeams = await listRoleIds(database.pool, teamRoles, id);
    await authz.change({
      ...systemAuthority,
      reason: 'organization.remove',
      writes: [{ kind: 'organization', id }],
      objects: [
        ...roles.map(organizationRoles.objectOf),
        ...rolesInTeams.map(teamRoles.objectOf),
      ].map((object) => ({ object })),
      targets: [{ type: 'organization', id }],
      async work(transaction) {
        await deleteInvitations(transaction, id);
        await deleteRoles(transaction, organizationRoles, id, roles);
        await deleteRoles(transaction, teamRoles, id, rolesInTeams);
        await removeTeamsOf(transaction, id);
        await spaces.remove(transaction, id);
        await removeOrganization(transaction, id);
      },
    });
  }

  return { removeMembers, removeKeys, removeRest };
}
