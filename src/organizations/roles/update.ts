import { authorityOf } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent, throwIfProblems } from '../../platform/errors/refusal.ts';
import { isUnchanged } from '../../platform/unchanged.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { Grants } from '../grants/grants.ts';
import { changeOf } from './change.ts';
import {
  applyEdit,
  containsMore,
  contentAddedBy,
  fieldsOf,
  nameTaken,
  requireCustom,
  unknownPermissions,
} from './rules.ts';
import type { RoleEdit, RoleParams, RoleRecord } from './schema.ts';
import { findCustomRoles, listReplacedBy, updateRole } from './store.ts';
import { requireFreeName } from './free-name.ts';
import { organizationRoles } from './system.ts';

export interface RoleUpdateDependencies extends Pick<
  OrganizationsDependencies,
  'database' | 'authz' | 'given'
> {
  grants: Grants;
  get(params: RoleParams): Promise<RoleRecord>;
}

/** Creates the function that changes a role for all its members. */
export function createRoleUpdate({
  database: { pool },
  authz,
  given,
  grants,
  get,
}: RoleUpdateDependencies) {
  return async function update(
    caller: Principal,
    params: RoleParams,
    edit: RoleEdit,
    request: RequestFacts,
  ): Promise<RoleRecord> {
    requireCustom(await get(params));
    const { organization_id, role_id: id } = params;
    if (edit.name !== undefined)
      await requireFreeName(pool, { organization_id, name: edit.name, except: id });
    throwIfProblems(unknownPermissions(organizationRoles, edit.permissions ?? []));
    const [before] = await findCustomRoles(pool, organization_id, [id]);
    if (before === undefined) throw absent('deleted concurrently');
    const granted = contentAddedBy(organizationRoles, edit, before);
    throwIfProblems(await grants.problems(caller, granted, params));
    const after = applyEdit(before, edit);
    if (isUnchanged(fieldsOf(before), fieldsOf(after))) return get(params);
    const role = { id, organization_id };
    const replaced = await listReplacedBy(pool, role);
    const authority = authorityOf(caller, request);
    await authz.change({
      ...changeOf(role, authority, replaced),
      reason: 'role.update',
      async work(transaction) {
        if ((await updateRole(transaction, role, after)) === null) throw nameTaken();
        if (containsMore(organizationRoles, after, before))
          await given.growRole(transaction, { ...role, replaced }, authority.actor);
      },
      detail: () => ({ before: fieldsOf(before), after: fieldsOf(after) }),
    });
    return get(params);
  };
}
