import { ConcurrentUpdate } from '../../../authz/authz.ts';
import { authorityOf } from '../../../caller/actor.ts';
import type { Principal } from '../../../caller/principal.ts';
import type { RequestFacts } from '../../../caller/route.ts';
import { absent, throwIfAny } from '../../../platform/errors/refusal.ts';
import { MAX_PROBLEMS } from '../../escalation.ts';
import {
  applyEdit,
  fieldsOf,
  givenBy,
  nameTaken,
  requireCustom,
  unknownPermissions,
} from '../../roles/rules.ts';
import type { RoleEdit } from '../../roles/schema.ts';
import { teamRoleChangeOf } from './change.ts';
import type { TeamRoleChangeDependencies } from './dependencies.ts';
import { isOfTeam, requireFreeName, requireOwn } from './rules.ts';
import type { TeamRoleRecord } from './schema.ts';
import { listTeamRoles, teamsOfRole, updateTeamRole } from './store.ts';
import type { OwnedRole } from './store.ts';
import { teamRoles } from './system.ts';

/**
 * Changes a team role for all who hold it. What it gives in addition must be the caller's to give
 * in every team where it is held; a team's own role is measured in that team, held or not.
 */
export function createTeamRoleUpdate(dependencies: TeamRoleChangeDependencies) {
  const { database, authz, guard, get } = dependencies;
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
    if (before === undefined) throw absent('deleted meanwhile');
    if (edit.name !== undefined)
      await requireFreeName(pool, owner, { name: edit.name, except: id });
    requireOwn(before, owner);
    throwIfAny(unknownPermissions(teamRoles, edit.permissions ?? []), MAX_PROBLEMS);
    const held = isOfTeam(owner) ? [owner.team_id] : await teamsOfRole(pool, role);
    const teams = held.map((team_id) => ({ organization_id, team_id }));
    const granted = givenBy(teamRoles, edit, before);
    throwIfAny(await guard.problemsIn(caller, teams, granted), MAX_PROBLEMS);
    const after = applyEdit(before, edit);
    await authz.change({
      ...teamRoleChangeOf({ id, ...owner }, authorityOf(caller, request)),
      reason: 'team_role.update',
      async work(transaction) {
        // It may be held in another team since; the organization's lock keeps it from more.
        const now = await teamsOfRole(transaction, role);
        if (now.some((one) => !held.includes(one))) throw new ConcurrentUpdate();
        if ((await updateTeamRole(transaction, id, after)) === null) throw nameTaken();
      },
      detail: () => ({ before: fieldsOf(before), after: fieldsOf(after) }),
    });
    return get({ ...owner, role_id: id });
  };
}
