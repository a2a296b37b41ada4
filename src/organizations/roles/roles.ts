import { authorityOf } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { newId } from '../../platform/ids.ts';
import { absent, throwIfProblems, unprocessable } from '../../platform/errors/refusal.ts';
import { pageOfList } from '../../platform/http/pages.ts';
import type { SearchQuery } from '../../platform/http/list-query.ts';
import { teamOf } from '../grants/place.ts';
import type { Place } from '../grants/place.ts';
import { changeOf } from './change.ts';
import { createRoleDeletion } from './deletion.ts';
import type { RolesDependencies } from './dependencies.ts';
import { placesOfContent } from './places.ts';
import {
  contentAddedBy,
  fieldsOf,
  nameTaken,
  requireFreeName,
  unknownPermissions,
} from './rules.ts';
import type { RoleDraft, RoleRecord } from './schema.ts';
import { countHolders, countHoldersOf, insertRole, listCustomRoles } from './store.ts';
import type { PlacedRole, RoleRow } from './store.ts';
import { createRoleUpdate } from './update.ts';

/**
 * Creates the operations on the roles of organizations, or of teams: system roles, which all
 * organizations share, and custom roles.
 */
export function createRoles<Listed extends RoleRecord>(dependencies: RolesDependencies<Listed>) {
  const { level, database, authz } = dependencies;
  const { kind } = level;
  const { pool } = database;

  async function listAll(place: Place): Promise<Listed[]> {
    const custom = await listCustomRoles(pool, kind, place);
    const holders = await countHolders(pool, kind, place);
    return [...kind.systemRoles, ...custom].map((role) =>
      level.recordOf(role, holders.get(role.id) ?? 0),
    );
  }

  async function get(placed: PlacedRole): Promise<Listed> {
    const { role_id: id } = placed;
    const [custom] = await listCustomRoles(pool, kind, placed, [id]);
    const role = kind.systemRoleOf(id) ?? custom;
    if (role === undefined) throw absent('no such role');
    return level.recordOf(role, await countHoldersOf(pool, kind, placed, id));
  }

  /** Throws 422 if the place has as many custom roles of its own as it can have. */
  function requireRoom(place: Place, others: readonly RoleRow[]): void {
    const limit = level.maxRoles(place);
    if (others.filter(({ team_id }) => team_id === teamOf(place)).length >= limit)
      throw unprocessable(
        'limit_reached',
        `At most ${limit} custom roles are allowed here. Delete one first.`,
      );
  }

  return {
    /** Lists the roles that can be given in a place. */
    list: async (place: Place, query: SearchQuery) => pageOfList(await listAll(place), query),
    get,
    async create(caller: Principal, place: Place, draft: RoleDraft, request: RequestFacts) {
      const row = await request.once<RoleRow>(async (save) => {
        const { organization_id } = place;
        const id = newId();
        const named = { organization_id, name: draft.name, except: null };
        await requireFreeName(pool, kind, named);
        throwIfProblems(unknownPermissions(kind, draft.permissions));
        const places = await placesOfContent(level, pool, { ...place, role_id: id });
        const added = contentAddedBy(kind, draft, null);
        throwIfProblems(await level.problemsOf(caller, added, { organization_id, places }));
        const role = { ...place, id };
        const saved = { ...draft, permissions: [...new Set(draft.permissions)] };
        return authz.change({
          ...changeOf(kind, role, authorityOf(caller, request)),
          reason: kind.actions.create,
          async work(transaction) {
            // Counted under the organization's lock, so that the limit is exact.
            requireRoom(place, await listCustomRoles(transaction, kind, place));
            await requireFreeName(transaction, kind, named);
            const created = await insertRole(transaction, kind, role, saved);
            if (created === null) throw nameTaken();
            return save(transaction, created);
          },
          detail: (created) => ({ after: fieldsOf(created) }),
        });
      });
      return level.recordOf(row, 0);
    },
    /** Changes a role; this takes effect at once for everyone who has it. */
    update: createRoleUpdate({ ...dependencies, get }),
    /** Deletes an unused role, or replaces it for its members. */
    delete: createRoleDeletion({ ...dependencies, get }),
  };
}
/** Operations on the roles of organizations, or of teams. */
export type Roles<Listed extends RoleRecord = RoleRecord> = ReturnType<typeof createRoles<Listed>>;
