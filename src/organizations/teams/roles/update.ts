import { ConcurrentUpdate } from '../../../authz/authz.ts';
import { authorityOf } from '../../../caller/actor.ts';
import type { Principal } from '../../../caller/principal.ts';
import type { RequestFacts } from '../../../caller/route.ts';
import { absent, throwIfProblems } from '../../../platform/errors/refusal.ts';
import type { Connection } from '../../../platform/postgres/database.ts';
import { isUnchanged } from '../../../platform/unchanged.ts';
import {
  applyEdit,
  containsMore,
  fieldsOf,
  contentAddedBy,
  nameTaken,
  requireCustom,
  unknownPermissions,
} from '../../roles/rules.ts';
import type { RoleEdit } from '../../roles/schema.ts';
import { teamRoleChangeOf } from './change.ts';
import type { TeamRoleChangeDependencies } from './dependencies.ts';
import { isOfTeam, requireFreeName, requireSameOwner } from './rules.ts';
import type { TeamRoleRecord } from './schema.ts';
import { listReplacedBy, listTeamRoles, updateTeamRole } from './store.ts';
import type { OwnedRole } from './store.ts';
import { teamRoles } from './system.ts';
import { listTeamsWithRole } from './teams-with-role.ts';

/**
 * Changes a team role for all its members. The caller must be allowed to grant what the edit adds
 * in every team where someone has the role or is invited with it, or in at least one team if nobody
 * is; for a team's own role, always in that team.
 */
export function createTeamRoleUpdate(dependencies: TeamRoleChangeDependencies) {
  const { database, authz, given, grants, authors, get } = dependencies;
  const { pool } = database;

  return async function update(
    caller: Principal,
    { role_id: id, ...owner }: OwnedRole,
    edit: RoleEdit,
    request: RequestFacts,
  ): Promise<TeamRoleRecord> {
    const { organization_id } = owner;
    const role = { id, organization_id };
    requireCustom(await get({ ...owner, role_id: id }));
    const [before] = await listTeamRoles(pool, owner, [id]);
    if (before === undefined) throw absent('deleted concurrently');
    const requireName = async (connection: Connection) => {
      if (edit.name !== undefined)
        await requireFreeName(connection, { organization_id, name: edit.name, except: id });
    };
    await requireName(pool);
    requireSameOwner(before, owner);
    throwIfProblems(unknownPermissions(teamRoles, edit.permissions ?? []));
    const teamIds = isOfTeam(owner) ? [owner.team_id] : await listTeamsWithRole(pool, role);
    const teams = teamIds.map((team_id) => ({ organization_id, team_id }));
    const granted = contentAddedBy(teamRoles, edit, before);
    throwIfProblems(
      teams.length > 0
        ? await grants.problemsInAny(caller, granted, teams)
        : await authors.problems(caller, organization_id, granted),
    );
    const after = applyEdit(before, edit);
    if (isUnchanged(fieldsOf(before), fieldsOf(after))) return get({ ...owner, role_id: id });
    const replaced = await listReplacedBy(pool, role);
    const authority = authorityOf(caller, request);
    await authz.change({
      ...teamRoleChangeOf({ id, ...owner }, authority, replaced),
      reason: 'team_role.update',
      async work(transaction) {
        // Someone in another team may have been given the role since the check; from here on,
        // the lock prevents that.
        const current = await listTeamsWithRole(transaction, role);
        if (current.some((team_id) => !teamIds.includes(team_id))) throw new ConcurrentUpdate();
        await requireName(transaction);
        if ((await updateTeamRole(transaction, role, after)) === null) throw nameTaken();
        if (containsMore(teamRoles, after, before))
          await given.growTeamRole(transaction, { ...role, replaced }, authority.actor);
      },
      detail: () => ({ before: fieldsOf(before), after: fieldsOf(after) }),
    });
    return get({ ...owner, role_id: id });
  };
}
