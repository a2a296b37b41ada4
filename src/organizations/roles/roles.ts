import { authorityOf } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { newId } from '../../platform/ids.ts';
import { absent, throwIfProblems, unprocessable } from '../../platform/errors/refusal.ts';
import { pageOfList } from '../../platform/http/pages.ts';
import type { SearchQuery } from '../../platform/http/list-query.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { Grants } from '../grants/grants.ts';
import { changeOf } from './change.ts';
import { createRoleDeletion } from './deletion.ts';
import { requireFreeName } from './free-name.ts';
import { createRoleUpdate } from './update.ts';
import { fieldsOf, contentAddedBy, nameTaken, recordOf, unknownPermissions } from './rules.ts';
import type { RoleDraft, RoleParams, RoleRecord } from './schema.ts';
import {
  countHolders,
  countHoldersOf,
  findCustomRoles,
  insertRole,
  listCustomRoles,
} from './store.ts';
import type { RoleRow } from './store.ts';
import { organizationRoles } from './system.ts';

export interface RolesDependencies extends OrganizationsDependencies {
  grants: Grants;
  /** Starts taking deleted roles from their holders in the background. */
  removeSoon(): void;
}

// Each can have up to 51 tuples, all in the organization's scope.
const MAX_ROLES = 100;

/**
 * Creates the operations on roles: system roles, which all organizations share, and custom roles.
 */
export function createRoles(dependencies: RolesDependencies) {
  const { database, authz, grants } = dependencies;
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
    list: async (organization_id: string, query: SearchQuery) =>
      pageOfList(await listAll(organization_id), query),
    get,
    async create(
      caller: Principal,
      organization_id: string,
      draft: RoleDraft,
      request: RequestFacts,
    ) {
      const row = await request.once<RoleRow>(async (save) => {
        await requireFreeName(pool, { organization_id, name: draft.name, except: null });
        throwIfProblems(unknownPermissions(organizationRoles, draft.permissions));
        const granted = contentAddedBy(organizationRoles, draft, null);
        throwIfProblems(await grants.problems(caller, granted, { organization_id }));
        const role = { id: newId(), organization_id };
        const saved = { ...draft, permissions: [...new Set(draft.permissions)] };
        return authz.change({
          ...changeOf(role, authorityOf(caller, request)),
          reason: 'role.create',
          async work(transaction) {
            // Counted under the organization's lock, so that the limit is exact.
            if ((await listCustomRoles(transaction, organization_id)).length >= MAX_ROLES)
              throw tooManyRoles();
            const created = await insertRole(transaction, role, saved);
            if (created === null) throw nameTaken();
            return save(transaction, created);
          },
          detail: (created) => ({ after: fieldsOf(created) }),
        });
      });
      return recordOf(row, 0);
    },
    /** Changes a role; this takes effect at once for everyone who has it. */
    update: createRoleUpdate({ ...dependencies, get }),
    /** Deletes an unused role, or replaces it for its members. */
    delete: createRoleDeletion({ ...dependencies, get }),
  };
}
export type Roles = ReturnType<typeof createRoles>;

const tooManyRoles = () =>
  unprocessable(
    'limit_reached',
    `An organization can have at most ${MAX_ROLES} custom roles. Delete one first.`,
  );
