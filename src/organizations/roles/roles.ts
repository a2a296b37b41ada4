import { authorityOf } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { newId } from '../../platform/ids.ts';
import { absent, throwIfAny, unprocessable } from '../../platform/errors/refusal.ts';
import { pageIn } from '../../platform/http/pages.ts';
import type { Page, PageQuery } from '../../platform/http/pages.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import { MAX_PROBLEMS } from '../escalation.ts';
import type { EscalationGuard } from '../escalation.ts';
import { changeOf } from './change.ts';
import { createRoleDeletion } from './deletion.ts';
import { givenBy, nameTaken, requireCustom, unknownPermissions } from './rules.ts';
import type { RoleDeletion, RoleDraft, RoleEdit, RoleParams, RoleRecord } from './schema.ts';
import {
  countHolders,
  findCustomRoles,
  insertRole,
  isNameTaken,
  listCustomRoles,
  updateRole,
} from './store.ts';
import type { RoleRow } from './store.ts';
import type { SystemRole } from './kind.ts';
import { organizationRoles } from './system.ts';

/** The roles of organizations: the system roles, the same in all of them, and custom ones. */
export interface Roles {
  list(organization_id: string, page: PageQuery): Promise<Page<RoleRecord>>;
  get(params: RoleParams): Promise<RoleRecord>;
  create(
    caller: Principal,
    organization_id: string,
    draft: RoleDraft,
    request: RequestFacts,
  ): Promise<RoleRecord>;
  /** Changes a role, at once for all who hold it. */
  update(
    caller: Principal,
    params: RoleParams,
    edit: RoleEdit,
    request: RequestFacts,
  ): Promise<RoleRecord>;
  /** Deletes a role that nobody holds, or moves its members to another one first. */
  delete(
    caller: Principal,
    params: RoleParams,
    query: RoleDeletion,
    request: RequestFacts,
  ): Promise<void>;
}

export interface RolesDependencies extends OrganizationsDependencies {
  escalation: EscalationGuard;
}

// Each may have up to 51 tuples, all of the organization's scope.
const MAX_ROLES = 100;

export function createRoles(dependencies: RolesDependencies): Roles {
  const { database, authz, escalation } = dependencies;
  const { pool } = database;

  async function all(organization_id: string): Promise<RoleRecord[]> {
    const custom = await listCustomRoles(pool, organization_id);
    const holders = await countHolders(pool, organization_id);
    return [...organizationRoles.systemRoles, ...custom].map((role) =>
      recordOf(role, holders.get(role.id) ?? 0),
    );
  }

  async function get({ organization_id, role_id }: RoleParams): Promise<RoleRecord> {
    const role = (await all(organization_id)).find(({ id }) => id === role_id);
    if (role === undefined) throw absent('no such role');
    return role;
  }

  /** Throws 409 for a name in use, before any 422; the unique index decides races. */
  async function requireFreeName(organization_id: string, name: string, except: string | null) {
    const isTaken =
      organizationRoles.isSystemName(name) ||
      (await isNameTaken(pool, { organization_id, name, except }));
    if (isTaken) throw nameTaken();
  }

  return {
    list: async (organization_id, page) => pageIn(await all(organization_id), page),
    get,
    async create(caller, organization_id, draft, request) {
      await requireFreeName(organization_id, draft.name, null);
      throwIfAny(unknownPermissions(draft.permissions), MAX_PROBLEMS);
      throwIfAny(await escalation.problems(caller, givenBy(draft, null)), MAX_PROBLEMS);
      const role = { id: newId(), organization_id };
      const saved = { ...draft, permissions: [...new Set(draft.permissions)] };
      const row = await authz.change({
        ...changeOf(role, authorityOf(caller, request)),
        reason: 'role.create',
        async work(transaction) {
          // Counted under the organization's lock, so that the limit is exact.
          if ((await listCustomRoles(transaction, organization_id)).length >= MAX_ROLES)
            throw unprocessable(
              'limit_reached',
              `At most ${MAX_ROLES} roles besides the system's.`,
            );
          const made = await insertRole(transaction, role, saved);
          if (made === null) throw nameTaken();
          return made;
        },
        detail: (made) => ({ after: contentOf(made) }),
      });
      return recordOf(row, 0);
    },
    async update(caller, params, edit, request) {
      requireCustom(await get(params));
      const { organization_id, role_id: id } = params;
      if (edit.name !== undefined) await requireFreeName(organization_id, edit.name, id);
      throwIfAny(unknownPermissions(edit.permissions ?? []), MAX_PROBLEMS);
      const [before] = await findCustomRoles(pool, organization_id, [id]);
      if (before === undefined) throw absent('deleted meanwhile');
      throwIfAny(await escalation.problems(caller, givenBy(edit, before)), MAX_PROBLEMS);
      const after = edited(before, edit);
      await authz.change({
        ...changeOf({ id, organization_id }, authorityOf(caller, request)),
        reason: 'role.update',
        async work(transaction) {
          if ((await updateRole(transaction, { id, organization_id }, after)) === null)
            throw nameTaken();
        },
        detail: () => ({ before: contentOf(before), after: contentOf(after) }),
      });
      return get(params);
    },
    delete: createRoleDeletion({ ...dependencies, get }),
  };
}

/** Returns a role with the sent fields of an edit; permissions are a set. */
const edited = (before: RoleRow, edit: RoleEdit): RoleRow => ({
  ...before,
  name: edit.name ?? before.name,
  description: edit.description ?? before.description,
  permissions: [...new Set(edit.permissions ?? before.permissions)],
  capabilities: edit.capabilities ?? before.capabilities,
});

const contentOf = ({ name, description, permissions, capabilities }: RoleRow) => ({
  ...{ name, description, permissions, capabilities },
});

function recordOf(role: RoleRow | SystemRole, members: number): RoleRecord {
  const { id, name, description, permissions, capabilities } = role;
  return {
    ...{ id, name, description, members },
    system: 'object' in role,
    permissions: [...permissions],
    capabilities: [...capabilities],
  };
}
