import { ConcurrentUpdate } from '../../../authz/authz.ts';
import { authorityOf } from '../../../caller/actor.ts';
import type { Principal } from '../../../caller/principal.ts';
import type { RequestFacts } from '../../../caller/route.ts';
import { isRefusal, throwIfProblems } from '../../../platform/errors/refusal.ts';
import type { Connection } from '../../../platform/postgres/database.ts';
import type { InvitedRole } from '../../invitations/roles/store.ts';
import { countConnectionsGivingInTeams } from '../../join-grants/store.ts';
import { countInvitationsToTeamRole, moveInvitedSeats } from '../../invitations/seats/store.ts';
import { endExpiredInvitations } from '../../invitations/store.ts';
import { roleInUse, unknownReplacement } from '../../roles/deletion.ts';
import type { RoleContent } from '../../roles/kind.ts';
import { containsMore, fieldsOf, requireCustom, requireMayReplace } from '../../roles/rules.ts';
import type { RoleDeletion } from '../../roles/schema.ts';
import { teamRoleChangeOf } from './change.ts';
import type { TeamRoleChangeDependencies } from './dependencies.ts';
import { requireSameOwner } from './rules.ts';
import type { TeamRoleRecord } from './schema.ts';
import {
  countTeamHoldersOf,
  deleteTeamRoles,
  listReplacedBy,
  markTeamRoleDeleted,
} from './store.ts';
import type { OwnedRole } from './store.ts';
import { teamRoles } from './system.ts';
import { listTeamsWithRole } from './teams-with-role.ts';

export interface TeamRoleDeletionDependencies extends TeamRoleChangeDependencies {
  /** Starts taking deleted roles from their holders in the background. */
  removeSoon(): void;
}

/**
 * Deletes a team role by marking its row, and gives it the content of its replacement: one change
 * of the organization's scope, however many members have the role. For them it is the replacement
 * from then on; their own rows and tuples follow in batches.
 */
export function createTeamRoleDeletion(dependencies: TeamRoleDeletionDependencies) {
  const { database, authz, given, grants, get, removeSoon } = dependencies;
  const { pool } = database;

  /**
   * Returns the replacement, which the caller must be allowed to grant in each of these teams. There
   * the caller must also have what the deleted role contains.
   */
  async function chooseReplacement(
    caller: Principal,
    role: OwnedRole,
    { to, teams, content }: { to: string; teams: readonly string[]; content: RoleContent },
  ): Promise<TeamRoleRecord> {
    const { organization_id } = role;
    const params = teams.map((team_id) => ({ organization_id, team_id }));
    requireMayReplace(await grants.problemsInAny(caller, [{ pointer: '', content }], params));
    if (to === role.role_id) throw unknownReplacement();
    const replacement = await get({ ...role, role_id: to }).catch((error: unknown) => {
      throw isRefusal(error) && error.kind === 'absent' ? unknownReplacement() : error;
    });
    const granted = [{ pointer: '/replace_with', content: replacement }];
    throwIfProblems(await grants.problemsInAny(caller, granted, params));
    return replacement;
  }

  return async function remove(
    caller: Principal,
    role: OwnedRole,
    query: RoleDeletion,
    request: RequestFacts,
  ): Promise<void> {
    const replace_with = query.replace_with ?? null;
    const record = await get(role);
    requireCustom(record);
    requireSameOwner(record, role);
    const key = { id: role.role_id, organization_id: role.organization_id };
    const teams = await listTeamsWithRole(pool, key);
    let replacement: TeamRoleRecord | null = null;
    if (replace_with !== null)
      replacement = await chooseReplacement(caller, role, {
        ...{ to: replace_with, teams },
        content: record,
      });
    else await requireUnused(pool, role, key);
    const replaced = await listReplacedBy(pool, key);
    const authority = authorityOf(caller, request);
    await authz.change({
      ...teamRoleChangeOf({ ...role, ...key }, authority, replaced),
      reason: 'team_role.delete',
      async work(transaction) {
        await endExpiredInvitations(transaction, key);
        // Someone may have been given the role in the meantime, even in another team.
        if (replacement === null) await requireUnused(transaction, role, key);
        else await requireSameTeams(transaction, key, teams);
        await moveInvitedSeats(transaction, key, replace_with);
        if (replacement !== null && containsMore(teamRoles, replacement, record))
          await given.growTeamRole(transaction, { ...key, replaced }, authority.actor);
        await given.moveTeamRole(transaction, key, replace_with);
        await markTeamRoleDeleted(transaction, key, replacement);
        await deleteTeamRoles(transaction, [key.id, ...replaced]);
      },
      detail: () => ({ before: fieldsOf(record), replace_with }),
    });
    removeSoon();
  };
}

/** Throws if the role has since been granted in a team where the caller was not checked. */
async function requireSameTeams(
  connection: Connection,
  role: InvitedRole,
  teams: readonly string[],
): Promise<void> {
  const current = await listTeamsWithRole(connection, role);
  if (current.some((team) => !teams.includes(team))) throw new ConcurrentUpdate();
}

/**
 * Throws 409 if members have the role, or open invitations or single sign-on give it. Seats in deleted teams may
 * still have it; they are being removed.
 */
async function requireUnused(
  connection: Connection,
  role: OwnedRole,
  key: InvitedRole,
): Promise<void> {
  const members = await countTeamHoldersOf(connection, role);
  const invitations = await countInvitationsToTeamRole(connection, key);
  const connections = await countConnectionsGivingInTeams(connection, key);
  if (members + invitations + connections > 0)
    throw roleInUse({ members, invitations, connections });
}
