import { authorityOf } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { newId } from '../../platform/ids.ts';
import { absent, throwIfProblems, unprocessable } from '../../platform/errors/refusal.ts';
import { pageOfList } from '../../platform/http/pages.ts';
import type { Page, PageQuery } from '../../platform/http/pages.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import { isUnchanged } from '../../platform/unchanged.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { EscalationGuard } from '../escalation.ts';
import { changeOf } from './change.ts';
import { createRoleDeletion } from './deletion.ts';
import {
  applyEdit,
  fieldsOf,
  contentAddedBy,
  nameTaken,
  recordOf,
  requireCustom,
  unknownPermissions,
} from './rules.ts';
import type { RoleDeletion, RoleDraft, RoleEdit, RoleParams, RoleRecord } from './schema.ts';
import {
  countHolders,
  countHoldersOf,
  findCustomRoles,
  insertRole,
  isNameTaken,
  listCustomRoles,
  listReplacedBy,
  updateRole,
} from './store.ts';
import { organizationRoles } from './system.ts';

/** Operations on roles: system roles, which all organizations share, and custom roles. */
export interface Roles {
  list(organization_id: string, page: PageQuery): Promise<Page<RoleRecord>>;
  get(params: RoleParams): Promise<RoleRecord>;
  create(
    caller: Principal,
    organization_id: string,
    draft: RoleDraft,
    request: RequestFacts,
  ): Promise<RoleRecord>;
  /** Changes a role; this takes effect at once for everyone who has it. */
  update(
    caller: Principal,
    params: RoleParams,
    edit: RoleEdit,
    request: RequestFacts,
  ): Promise<RoleRecord>;
  /** Deletes an unused role, or replaces it for its members. */
  delete(
    caller: Principal,
    params: RoleParams,
    query: RoleDeletion,
    request: RequestFacts,
  ): Promise<void>;
}

export interface RolesDependencies extends OrganizationsDependencies {
  escalation: EscalationGuard;
  /** Starts taking deleted roles from their holders in the background. */
  removeSoon(): void;
}

// Each can have up to 51 tuples, all in the organization's scope.
const MAX_ROLES = 100;

export function createRoles(dependencies: RolesDependencies): Roles {
  const { database, authz, escalation } = dependencies;
  const { pool } = database;

  async function listAll(organization_id: string): Promise<RoleRecord[]> {
    const custom = await listCustomRoles(pool, organization_id);
    const holders = await countHolders(pool, organization_id);
    return [...organizationRoles.systemRoles, ...custom].map((role) =>
      recordOf(role, holders.get(role.id) ?? 0),
    );
  }

  async function get({ organization_id, role_id: id }: RoleParams): Promise<RoleRecord> {
    const [custom] = await findCustomRoles(pool, organization_id, [id]);
    const role = organizationRoles.systemRoleOf(id) ?? custom;
    if (role === undefined) throw absent('no such role');
    return recordOf(role, await countHoldersOf(pool, { id, organization_id }));
  }

  return {
    list: async (organization_id, page) => pageOfList(await listAll(organization_id), page),
    get,
    async create(caller, organization_id, draft, request) {
      await requireFreeName(pool, { organization_id, name: draft.name, except: null });
      throwIfProblems(unknownPermissions(organizationRoles, draft.permissions));
      const granted = contentAddedBy(organizationRoles, draft, null);
      throwIfProblems(await escalation.problems(caller, granted));
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
              `An organization can have at most ${MAX_ROLES} custom roles. Delete one first.`,
            );
          const created = await insertRole(transaction, role, saved);
          if (created === null) throw nameTaken();
          return created;
        },
        detail: (created) => ({ after: fieldsOf(created) }),
      });
      return recordOf(row, 0);
    },
    async update(caller, params, edit, request) {
      requireCustom(await get(params));
      const { organization_id, role_id: id } = params;
      if (edit.name !== undefined)
        await requireFreeName(pool, { organization_id, name: edit.name, except: id });
      throwIfProblems(unknownPermissions(organizationRoles, edit.permissions ?? []));
      const [before] = await findCustomRoles(pool, organization_id, [id]);
      if (before === undefined) throw absent('deleted concurrently');
      const granted = contentAddedBy(organizationRoles, edit, before);
      throwIfProblems(await escalation.problems(caller, granted));
      const after = applyEdit(before, edit);
      if (isUnchanged(fieldsOf(before), fieldsOf(after))) return get(params);
      const replaced = await listReplacedBy(pool, { id, organization_id });
      await authz.change({
        ...changeOf({ id, organization_id }, authorityOf(caller, request), replaced),
        reason: 'role.update',
        async work(transaction) {
          if ((await updateRole(transaction, { id, organization_id }, after)) === null)
            throw nameTaken();
        },
        detail: () => ({ before: fieldsOf(before), after: fieldsOf(after) }),
      });
      return get(params);
    },
    delete: createRoleDeletion({ ...dependencies, get }),
  };
}

/** Throws 409 for a name in use, before any 422; the unique index decides races. */
async function requireFreeName(
  connection: Connection,
  role: Parameters<typeof isNameTaken>[1],
): Promise<void> {
  if (organizationRoles.isSystemName(role.name) || (await isNameTaken(connection, role)))
    throw nameTaken();
}
