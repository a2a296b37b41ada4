import { authorityOf } from '../../../caller/actor.ts';
import type { Principal } from '../../../caller/principal.ts';
import type { RequestFacts } from '../../../caller/route.ts';
import { newId } from '../../../platform/ids.ts';
import { absent, throwIfProblems, unprocessable } from '../../../platform/errors/refusal.ts';
import { pageOfList } from '../../../platform/http/pages.ts';
import type { SearchQuery } from '../../../platform/http/list-query.ts';
import {
  fieldsOf,
  contentAddedBy,
  nameTaken,
  recordOf as roleRecordOf,
  unknownPermissions,
} from '../../roles/rules.ts';
import type { RoleDraft } from '../../roles/schema.ts';
import type { SystemRole } from '../../roles/kind.ts';
import { teamRoleChangeOf } from './change.ts';
import { createTeamRoleDeletion } from './deletion.ts';
import type { TeamRoleDeletionDependencies } from './deletion.ts';
import type { TeamRolesDependencies } from './dependencies.ts';
import { isOfTeam, requireFreeName } from './rules.ts';
import type { TeamRoleRecord } from './schema.ts';
import { countTeamHolders, countTeamHoldersOf, insertTeamRole, listTeamRoles } from './store.ts';
import type { OwnedRole, RoleOwner, TeamRoleRow } from './store.ts';
import { teamRoles } from './system.ts';
import { createTeamRoleUpdate } from './update.ts';

// Each can have up to 44 tuples, all in the organization's scope.
const MAX_SHARED_ROLES = 100;
const MAX_OWN_ROLES = 20;

/**
 * Creates the operations on team roles: system roles, roles for all teams, and roles of single
 * teams.
 */
export function createTeamRoles(
  dependencies: TeamRolesDependencies & Pick<TeamRoleDeletionDependencies, 'removeSoon'>,
) {
  const { database, authz, grants, authors } = dependencies;
  const { pool } = database;

  async function listAll(owner: RoleOwner): Promise<TeamRoleRecord[]> {
    const custom = await listTeamRoles(pool, owner);
    const holders = await countTeamHolders(pool, owner);
    return [...teamRoles.systemRoles, ...custom].map((role) =>
      recordOf(role, holders.get(role.id) ?? 0),
    );
  }

  async function get(owned: OwnedRole): Promise<TeamRoleRecord> {
    const [custom] = await listTeamRoles(pool, owned, [owned.role_id]);
    const role = teamRoles.systemRoleOf(owned.role_id) ?? custom;
    if (role === undefined) throw absent('no such role');
    return recordOf(role, await countTeamHoldersOf(pool, owned));
  }

  return {
    /** Lists the roles of the team, or the roles for all teams. */
    list: async (owner: RoleOwner, query: SearchQuery) => pageOfList(await listAll(owner), query),
    get,
    async create(caller: Principal, owner: RoleOwner, draft: RoleDraft, request: RequestFacts) {
      const row = await request.once<TeamRoleRow>(async (save) => {
        const { organization_id } = owner;
        const named = { organization_id, name: draft.name, except: null };
        await requireFreeName(pool, named);
        throwIfProblems(unknownPermissions(teamRoles, draft.permissions));
        const granted = contentAddedBy(teamRoles, draft, null);
        throwIfProblems(
          isOfTeam(owner)
            ? await grants.problems(caller, granted, owner)
            : await authors.problems(caller, organization_id, granted),
        );
        const role = { id: newId(), ...owner };
        const saved = { ...draft, permissions: [...new Set(draft.permissions)] };
        return authz.change({
          ...teamRoleChangeOf(role, authorityOf(caller, request)),
          reason: 'team_role.create',
          async work(transaction) {
            // Counted under the organization's lock, so that the limit is exact.
            requireRoomForRole(owner, await listTeamRoles(transaction, owner));
            await requireFreeName(transaction, named);
            const created = await insertTeamRole(transaction, role, saved);
            if (created === null) throw nameTaken();
            return save(transaction, created);
          },
          detail: (created) => ({ after: fieldsOf(created) }),
        });
      });
      return recordOf(row, 0);
    },
    /** Changes a role; this takes effect at once for everyone who has it. */
    update: createTeamRoleUpdate({ ...dependencies, get }),
    /** Deletes an unused role, or replaces it for its members. */
    delete: createTeamRoleDeletion({ ...dependencies, get }),
  };
}

/** Throws 422 if a team has its number of roles, or all teams theirs. */
function requireRoomForRole(owner: RoleOwner, others: readonly TeamRoleRow[]): void {
  const limit = isOfTeam(owner) ? MAX_OWN_ROLES : MAX_SHARED_ROLES;
  if (others.filter(({ team_id }) => team_id === owner.team_id).length >= limit)
    throw unprocessable(
      'limit_reached',
      `At most ${limit} custom team roles are allowed here. Delete one first.`,
    );
}

const recordOf = (role: TeamRoleRow | SystemRole, members: number): TeamRoleRecord => ({
  ...roleRecordOf(role, members),
  team_id: 'team_id' in role ? role.team_id : null,
});
