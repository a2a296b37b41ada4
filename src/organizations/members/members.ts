import { authorityOf } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent, throwIfProblems } from '../../platform/errors/refusal.ts';
import type { Page } from '../../platform/http/pages.ts';
import { toRowsPage } from '../../platform/postgres/sorted-rows.ts';
import { isUnchanged } from '../../platform/unchanged.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { Grants } from '../grants/grants.ts';
import { createRoleChoice } from '../roles/choice.ts';
import { nameOf } from '../roles/kind.ts';
import type { HeldRole } from '../roles/kind.ts';
import { namedTeam, organizationRoles, OWNER_ROLE } from '../roles/system.ts';
import { createMemberGuard } from './guard.ts';
import { createRemoval } from './removal.ts';
import { isSelf, lastOwner } from './rules.ts';
import type { MemberEdit, MemberParams, MemberRecord } from './schema.ts';
import { listMembers } from './list-members.ts';
import type { MemberListQuery } from './list-members.ts';
import { findMember, replaceRoles } from './store.ts';
import type { MemberRow } from './store.ts';
import { createTransfer } from './transfer.ts';
import { changeOf } from './change.ts';

/** Operations on the members of organizations. */
export interface Members {
  list(organization_id: string, query: MemberListQuery): Promise<Page<MemberRecord>>;
  get(params: MemberParams): Promise<MemberRecord>;
  /** Throws 404 unless the person is a member. */
  require(params: MemberParams): Promise<unknown>;
  /** Replaces a member's roles. */
  update(
    caller: Principal,
    params: MemberParams,
    edit: MemberEdit,
    request: RequestFacts,
  ): Promise<MemberRecord>;
  /** Removes a member; people may always remove themselves, in a session. */
  remove(caller: Principal, params: MemberParams, request: RequestFacts): Promise<void>;
  transfer: ReturnType<typeof createTransfer>;
}

export interface MembersDependencies extends OrganizationsDependencies {
  grants: Grants;
}

export function createMembers(dependencies: MembersDependencies): Members {
  const { database, authz, endOutgrownAccess } = dependencies;
  const { pool } = database;
  const requireHoldsAll = createMemberGuard(dependencies);
  const chooseRoles = createRoleChoice({ ...dependencies, kind: organizationRoles });

  async function requireMember(params: MemberParams): Promise<MemberRow> {
    const member = await findMember(pool, params);
    if (member === null) throw absent('not a member');
    return member;
  }

  return {
    async list(organization_id, query) {
      const rows = await listMembers(pool, organization_id, query);
      const { data, next_cursor } = toRowsPage(rows, query);
      return { data: data.map(recordOf), next_cursor };
    },
    get: async (params) => recordOf(await requireMember(params)),
    require: requireMember,
    async update(caller, params, edit, request) {
      const member = await requireMember(params);
      const current = member.roles.map(organizationRoles.resolve);
      if (!isSelf(caller, member)) await requireHoldsAll(caller, member);
      const role_ids = [...new Set(edit.role_ids)];
      const before = current.map(({ id }) => id);
      const chosen = await chooseRoles(caller, params, { role_ids, held: before });
      throwIfProblems(chosen.problems);
      if (before.includes(OWNER_ROLE) && !role_ids.includes(OWNER_ROLE)) throw lastOwner();
      if (isUnchanged(before, role_ids)) return recordOf(member);
      const authority = authorityOf(caller, request);
      await authz.change({
        ...changeOf(member, authority),
        reason: 'member.update',
        async work(transaction) {
          await replaceRoles(transaction, member, role_ids);
          await endOutgrownAccess(transaction, member, authority.actor);
        },
        detail: () => ({ before: { role_ids: before }, after: { role_ids } }),
      });
      return recordOf({ ...member, roles: chosen.roles });
    },
    remove: createRemoval({ ...dependencies, requireHoldsAll, get: requireMember }),
    transfer: createTransfer(dependencies),
  };
}

function recordOf(row: Omit<MemberRow, 'roles'> & { roles: readonly HeldRole[] }): MemberRecord {
  const { id: _id, organization_id: _organization, scope: _scope, ...fields } = row;
  const roles = row.roles.map(organizationRoles.resolve).map(nameOf);
  const teams = row.teams.map(namedTeam);
  return { ...fields, roles, teams, owner: roles.some(({ id }) => id === OWNER_ROLE) };
}
