import type { Principal } from '../../caller/principal.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Grants, RequestedGrant } from '../grants/grants.ts';
import type { HeldRole } from './kind.ts';
import { findCustomRoles } from './store.ts';
import { organizationRoles, OWNER_ROLE } from './system.ts';

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
 * Finds the roles that a caller names for a member. The caller must be allowed to grant each role
 * that the member does not have yet; the Owner role is granted only by a transfer.
 */
export const createRoleChoice = ({
  database,
  grants,
}: {
  database: Pick<Database, 'pool'>;
  grants: Grants;
}) =>
  async function chooseRoles(
    caller: Principal,
    organization_id: string,
    { role_ids, held }: { role_ids: readonly string[]; held: readonly string[] },
    pointerToAll: string | null = null,
  ): Promise<ChosenRoles> {
    const custom = new Map(
      (await findCustomRoles(database.pool, organization_id, role_ids)).map((role) => [
        role.id,
        role,
      ]),
    );
    const problems: Problem[] = [];
    const roles: HeldRole[] = [];
    const granted: RequestedGrant[] = [];
    for (const [index, id] of role_ids.entries()) {
      const role = { id, custom: custom.get(id) ?? null };
      const pointer = pointerToAll ?? `/role_ids/${index}`;
      if (role.custom === null && organizationRoles.systemRoleOf(id) === null)
        problems.push(unknownRole(pointer));
      else {
        roles.push(role);
        if (held.includes(id)) continue;
        if (id === OWNER_ROLE) problems.push(ownerByTransfer(pointer));
        else granted.push({ pointer, content: organizationRoles.resolve(role) });
      }
    }
    return {
      roles,
      problems: [...problems, ...(await grants.problems(caller, granted, { organization_id }))],
    };
  };

export const unknownRole = (pointer: string): Problem => ({
  code: 'unknown_role',
  message: 'There is no such role here. List the roles and name one of them.',
  detail: { pointer },
});
const ownerByTransfer = (pointer: string): Problem => ({
  code: 'owner_by_transfer',
  message: 'The Owner role is granted only by transferring ownership.',
  detail: { pointer },
});
