import { authorityOf } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent, throwIfProblems } from '../../platform/errors/refusal.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { isUnchanged } from '../../platform/unchanged.ts';
import { changeOf } from './change.ts';
import type { RoleChangeDependencies } from './dependencies.ts';
import { placesOfContent, requirePlacesWithin } from './places.ts';
import {
  applyEdit,
  containsMore,
  contentAddedBy,
  fieldsOf,
  nameTaken,
  requireCustom,
  requireFreeName,
  requireOfPlace,
  unknownPermissions,
} from './rules.ts';
import type { RoleEdit, RoleRecord } from './schema.ts';
import { listCustomRoles, listReplacedBy, updateRole } from './store.ts';
import type { PlacedRole } from './store.ts';

/**
 * Creates the function that changes a role for all its members. The caller must be allowed to grant
 * what the edit adds wherever the role applies.
 */
export function createRoleUpdate<Listed extends RoleRecord>({
  level,
  database: { pool },
  authz,
  get,
}: RoleChangeDependencies<Listed>) {
  const { kind } = level;

  return async function update(
    caller: Principal,
    role: PlacedRole,
    edit: RoleEdit,
    request: RequestFacts,
  ): Promise<Listed> {
    const { organization_id, role_id: id } = role;
    const key = { id, organization_id };
    requireCustom(await get(role));
    const [before] = await listCustomRoles(pool, kind, role, [id]);
    if (before === undefined) throw absent('deleted concurrently');
    const requireName = async (db: Queryable) => {
      if (edit.name !== undefined)
        await requireFreeName(db, kind, { organization_id, name: edit.name, except: id });
    };
    await requireName(pool);
    requireOfPlace(before, role);
    throwIfProblems(unknownPermissions(kind, edit.permissions ?? []));
    const places = await placesOfContent(level, pool, role);
    const added = contentAddedBy(kind, edit, before);
    throwIfProblems(await level.problemsOf(caller, added, { organization_id, places }));
    const after = applyEdit(before, edit);
    if (isUnchanged(fieldsOf(before), fieldsOf(after))) return get(role);
    const replaced = await listReplacedBy(pool, kind, key);
    const authority = authorityOf(caller, request);
    await authz.change({
      ...changeOf(kind, { ...role, id }, authority, replaced),
      reason: kind.actions.update,
      async work(transaction) {
        requirePlacesWithin(await level.placesOf(transaction, key), places);
        await requireName(transaction);
        if ((await updateRole(transaction, kind, key, after)) === null) throw nameTaken();
        if (containsMore(kind, after, before))
          await level.grow(transaction, { ...key, replaced }, authority.actor);
      },
      detail: () => ({ before: fieldsOf(before), after: fieldsOf(after) }),
    });
    return get(role);
  };
}
