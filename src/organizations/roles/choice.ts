import type { Principal } from '../../caller/principal.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Grants, RequestedGrant } from '../grants/grants.ts';
import type { Place } from '../grants/place.ts';
import type { HeldRole, RoleKind } from './kind.ts';
import { listCustomRoles } from './store.ts';
import { OWNER_ROLE } from './system.ts';

export interface ChosenRoles {
  /** The roles that exist, in the order of the request. */
  roles: HeldRole[];
  problems: Problem[];
}

/** Error codes of the problems that a choice may have. */
export const roleChoiceErrors = [
  'capability_escalation',
  'owner_by_transfer',
  'permission_not_held',
  'unknown_role',
] as const satisfies readonly ErrorCode[];

/**
 * Creates the function that finds the roles that a caller names for a member of the organization or
 * of a team; there, also the roles for all teams. The caller must be allowed to grant each role that
 * the member does not have yet; the Owner role is granted only by a transfer.
 */
export const createRoleChoice = ({
  kind,
  database,
  grants,
}: {
  kind: RoleKind;
  database: Pick<Database, 'pool'>;
  grants: Grants;
}) =>
  async function chooseRoles(
    caller: Principal,
    place: Place,
    { role_ids, held }: { role_ids: readonly string[]; held: readonly string[] },
    pointerOf = (index: number) => `/role_ids/${index}`,
  ): Promise<ChosenRoles> {
    const found = await listCustomRoles(database.pool, kind, place, role_ids);
    const custom = new Map(found.map((role) => [role.id, role]));
    const problems: Problem[] = [];
    const roles: HeldRole[] = [];
    const granted: RequestedGrant[] = [];
    for (const [index, id] of role_ids.entries()) {
      const role = { id, custom: custom.get(id) ?? null };
      const pointer = pointerOf(index);
      if (role.custom === null && kind.systemRoleOf(id) === null)
        problems.push(unknownRole(pointer));
      else {
        roles.push(role);
        if (held.includes(id)) continue;
        if (id === OWNER_ROLE) problems.push(ownerByTransfer(pointer));
        else granted.push({ pointer, content: kind.resolve(role) });
      }
    }
    return { roles, problems: [...problems, ...(await grants.problems(caller, granted, place))] };
  };

const unknownRole = (pointer: string): Problem => ({
  code: 'unknown_role',
  message: 'There is no such role here. List the roles and name one of them.',
  detail: { pointer },
});
export const ownerByTransfer = (pointer: string): Problem => ({
  code: 'owner_by_transfer',
  message: 'The Owner role is granted only by transferring ownership.',
  detail: { pointer },
});
