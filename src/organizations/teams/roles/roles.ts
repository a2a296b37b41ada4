import { authorityOf } from '../../../caller/actor.ts';
import type { Principal } from '../../../caller/principal.ts';
import type { RequestFacts } from '../../../caller/route.ts';
import { newId } from '../../../platform/ids.ts';
import { absent, throwIfAny, unprocessable } from '../../../platform/errors/refusal.ts';
import { pageIn } from '../../../platform/http/pages.ts';
import type { Page, PageQuery } from '../../../platform/http/pages.ts';
import { MAX_PROBLEMS } from '../../escalation.ts';
import {
  fieldsOf,
  givenBy,
  nameTaken,
  recordOf as roleRecordOf,
  unknownPermissions,
} from '../../roles/rules.ts';
import type { RoleDeletion, RoleDraft, RoleEdit } from '../../roles/schema.ts';
import type { SystemRole } from '../../roles/kind.ts';
import { teamRoleChangeOf } from './change.ts';
import { createTeamRoleDeletion } from './deletion.ts';
import type { TeamRolesDependencies } from './dependencies.ts';
import { isOfTeam, requireFreeName } from './rules.ts';
import type { TeamRoleRecord } from './schema.ts';
import { countTeamHolders, insertTeamRole, listTeamRoles } from './store.ts';
import type { OwnedRole, RoleOwner, TeamRoleRow } from './store.ts';
import { teamRoles } from './system.ts';
import { createTeamRoleUpdate } from './update.ts';

/** Roles that people hold in teams: the system's, the organization's, and those of single teams. */
export interface TeamRoles {
  /** Lists the roles that can be held in the team, or in all teams. */
  list(owner: RoleOwner, page: PageQuery): Promise<Page<TeamRoleRecord>>;
  get(role: OwnedRole): Promise<TeamRoleRecord>;
  create(
    caller: Principal,
    owner: RoleOwner,
    draft: RoleDraft,
    request: RequestFacts,
  ): Promise<TeamRoleRecord>;
  /** Changes a role, at once for all who hold it. */
  update(
    caller: Principal,
    role: OwnedRole,
    edit: RoleEdit,
    request: RequestFacts,
  ): Promise<TeamRoleRecord>;
  /** Deletes a role that nobody holds, or moves those who do to another one first. */
  delete(
    caller: Principal,
    role: OwnedRole,
    query: RoleDeletion,
    request: RequestFacts,
  ): Promise<void>;
}

// Each may have up to 44 tuples, all of the organization's scope.
const MAX_SHARED_ROLES = 100;
const MAX_OWN_ROLES = 20;

export function createTeamRoles(dependencies: TeamRolesDependencies): TeamRoles {
  const { database, authz, guard } = dependencies;
  const { pool } = database;

  async function all(owner: RoleOwner): Promise<TeamRoleRecord[]> {
    const custom = await listTeamRoles(pool, owner);
    const holders = await countTeamHolders(pool, owner);
    return [...teamRoles.systemRoles, ...custom].map((role) =>
      recordOf(role, holders.get(role.id) ?? 0),
    );
  }

  async function get({ role_id, ...owner }: OwnedRole): Promise<TeamRoleRecord> {
    const role = (await all(owner)).find(({ id }) => id === role_id);
    if (role === undefined) throw absent('no such role');
    return role;
  }

  return {
    list: async (owner, page) => pageIn(await all(owner), page),
    get,
    async create(caller, owner, draft, request) {
      await requireFreeName(pool, owner, { name: draft.name, except: null });
      throwIfAny(unknownPermissions(teamRoles, draft.permissions), MAX_PROBLEMS);
      // One for all teams gives nothing before it is given in a team, which is measured there.
      const teams = isOfTeam(owner) ? [owner] : [];
      const granted = givenBy(teamRoles, draft, null);
      throwIfAny(await guard.problemsIn(caller, teams, granted), MAX_PROBLEMS);
      const role = { id: newId(), ...owner };
      const saved = { ...draft, permissions: [...new Set(draft.permissions)] };
      const row = await authz.change({
        ...teamRoleChangeOf(role, authorityOf(caller, request)),
        reason: 'team_role.create',
        async work(transaction) {
          // Counted and compared under the organization's lock.
          const others = await listTeamRoles(transaction, owner);
          const most = isOfTeam(owner) ? MAX_OWN_ROLES : MAX_SHARED_ROLES;
          if (others.filter((one) => one.team_id === owner.team_id).length >= most)
            throw unprocessable(
              'limit_reached',
              `At most ${most} custom team roles are allowed here.`,
            );
          const made = await insertTeamRole(transaction, role, saved);
          if (made === null) throw nameTaken();
          return made;
        },
        detail: (made) => ({ after: fieldsOf(made) }),
      });
      return recordOf(row, 0);
    },
    update: createTeamRoleUpdate({ ...dependencies, get }),
    delete: createTeamRoleDeletion({ ...dependencies, get }),
  };
}

const recordOf = (role: TeamRoleRow | SystemRole, members: number): TeamRoleRecord => ({
  ...roleRecordOf(role, members),
  team_id: 'team_id' in role ? role.team_id : null,
});
