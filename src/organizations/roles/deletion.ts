import { authorityOf } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import {
  conflict,
  isRefusal,
  throwIfProblems,
  unprocessable,
} from '../../platform/errors/refusal.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { Place } from '../grants/place.ts';
import { endExpiredInvitations } from '../invitations/store.ts';
import { changeOf } from './change.ts';
import { ownerByTransfer } from './choice.ts';
import type { RoleChangeDependencies } from './dependencies.ts';
import type { RoleContent } from './kind.ts';
import type { RoleUses } from './level.ts';
import { requirePlacesWithin } from './places.ts';
import {
  containsMore,
  fieldsOf,
  requireCustom,
  requireMayReplace,
  requireOfPlace,
} from './rules.ts';
import type { RoleDeletion, RoleRecord } from './schema.ts';
import { deleteRoles, listReplacedBy, markRoleDeleted } from './store.ts';
import type { PlacedRole } from './store.ts';
import { OWNER_ROLE } from './system.ts';

/**
 * Creates the function that deletes a role by marking its row, and gives it the content of its
 * replacement: one change of the organization's scope, however many members have the role. For them
 * it is the replacement from then on; their own rows and tuples follow in batches.
 */
export function createRoleDeletion<Listed extends RoleRecord>({
  level,
  database: { pool },
  authz,
  grants,
  get,
  removeSoon,
}: RoleChangeDependencies<Listed>) {
  const { kind } = level;

  /**
   * Returns the replacement, which the caller must be allowed to grant in each of these places.
   * There the caller must also have what the deleted role contains.
   */
  async function chooseReplacement(
    caller: Principal,
    role: PlacedRole,
    { to, places, content }: { to: string; places: readonly Place[]; content: RoleContent },
  ): Promise<Listed> {
    const grant = (pointer: string, granted: RoleContent) =>
      grants.problemsInAny(caller, [{ pointer, content: granted }], places);
    requireMayReplace(await grant('', content));
    if (to === role.role_id) throw unknownReplacement();
    const replacement = await get({ ...role, role_id: to }).catch((error: unknown) => {
      throw isRefusal(error) && error.kind === 'absent' ? unknownReplacement() : error;
    });
    if (to === OWNER_ROLE) throwIfProblems([ownerByTransfer('/replace_with')]);
    throwIfProblems(await grant('/replace_with', replacement));
    return replacement;
  }

  /** Throws 409 if members have the role, or open invitations or single sign-on give it. */
  async function requireUnused(db: Queryable, { role_id: id, ...place }: PlacedRole) {
    const uses = await level.countUses(db, { ...place, id });
    if (uses.members + uses.invitations + uses.connections > 0) throw roleInUse(uses);
  }

  return async function remove(
    caller: Principal,
    role: PlacedRole,
    query: RoleDeletion,
    request: RequestFacts,
  ): Promise<void> {
    const replace_with = query.replace_with ?? null;
    const { organization_id, role_id: id } = role;
    const key = { id, organization_id };
    const record = await get(role);
    requireCustom(record);
    requireOfPlace(record, role);
    const places = await level.placesOf(pool, key);
    let replacement: Listed | null = null;
    if (replace_with === null) await requireUnused(pool, role);
    else {
      const chosen = { to: replace_with, places, content: record };
      replacement = await chooseReplacement(caller, role, chosen);
    }
    const replaced = await listReplacedBy(pool, kind, key);
    const authority = authorityOf(caller, request);
    await authz.change({
      ...changeOf(kind, { ...role, id }, authority, replaced),
      reason: kind.actions.delete,
      async work(transaction) {
        await endExpiredInvitations(transaction, key);
        // Someone may have been given the role in the meantime, even in another team.
        if (replacement === null) await requireUnused(transaction, role);
        else requirePlacesWithin(await level.placesOf(transaction, key), places);
        if (replacement !== null && containsMore(kind, replacement, record))
          await level.grow(transaction, { ...key, replaced }, authority.actor);
        await level.moveGiven(transaction, key, replace_with);
        await markRoleDeleted(transaction, kind, key, replacement);
        await deleteRoles(transaction, kind, organization_id, [id, ...replaced]);
      },
      detail: () => ({ before: fieldsOf(record), replace_with }),
    });
    removeSoon();
  };
}

const roleInUse = (uses: RoleUses) =>
  conflict(
    'role_in_use',
    'Members still have this role, or invitations or single sign-on give it: name its replacement in `replace_with`.',
    { detail: uses },
  );
const unknownReplacement = () =>
  unprocessable('unknown_role', 'Name another role of this organization.', {
    detail: { pointer: '/replace_with' },
  });
