import type { Authz } from '../../authz/authz.ts';
import { authorityOf } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { conflict, throwIfProblems, unprocessable } from '../../platform/errors/refusal.ts';
import type { Connection, Database } from '../../platform/postgres/database.ts';
import type { OrganizationsDependencies } from '../dependencies.ts';
import type { Grants } from '../grants/grants.ts';
import { countConnectionsGiving } from '../join-grants/store.ts';
import { countInvitationsToRole, moveInvitedRoles } from '../invitations/roles/store.ts';
import { endExpiredInvitations } from '../invitations/store.ts';
import { changeOf } from './change.ts';
import { createRoleChoice } from './choice.ts';
import type { NamedRole } from './kind.ts';
import { containsMore, fieldsOf, requireCustom, requireMayReplace } from './rules.ts';
import type { RoleDeletion, RoleParams, RoleRecord } from './schema.ts';
import { countHoldersOf, deleteRoles, listReplacedBy, markRoleDeleted } from './store.ts';
import type { RoleKey } from './store.ts';
import { organizationRoles } from './system.ts';

export interface RoleDeletionDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'change'>;
  given: OrganizationsDependencies['given'];
  grants: Grants;
  get(params: RoleParams): Promise<RoleRecord>;
  /** Starts taking deleted roles from their holders in the background. */
  removeSoon(): void;
}

/**
 * Deletes a role by marking its row, and gives it the content of its replacement: one change of the
 * organization's scope, however many members have the role. For them it is the replacement from
 * then on; their own rows and tuples follow in batches.
 */
export function createRoleDeletion({
  database: { pool },
  authz,
  given,
  grants,
  get,
  removeSoon,
}: RoleDeletionDependencies) {
  const chooseRoles = createRoleChoice({ database: { pool }, grants });

  /** Returns the replacement, which the caller must be allowed to grant. */
  async function chooseReplacement(caller: Principal, role: RoleKey, to: string) {
    if (to === role.id) throw unknownReplacement();
    const chosen = { role_ids: [to], held: [] };
    const choice = await chooseRoles(caller, role.organization_id, chosen, '/replace_with');
    throwIfProblems(choice.problems);
    return organizationRoles.resolve(choice.roles[0]!);
  }

  return async function remove(
    caller: Principal,
    params: RoleParams,
    query: RoleDeletion,
    request: RequestFacts,
  ): Promise<void> {
    const replace_with = query.replace_with ?? null;
    const record = await get(params);
    requireCustom(record);
    const role = { id: params.role_id, organization_id: params.organization_id };
    let replacement: NamedRole | null = null;
    if (replace_with !== null) {
      requireMayReplace(await grants.problems(caller, [{ pointer: '', content: record }], params));
      replacement = await chooseReplacement(caller, role, replace_with);
    } else await requireUnused(pool, role);
    const replaced = await listReplacedBy(pool, role);
    const authority = authorityOf(caller, request);
    await authz.change({
      ...changeOf(role, authority, replaced),
      reason: 'role.delete',
      async work(transaction) {
        await endExpiredInvitations(transaction, role);
        // Someone may have been given the role in the meantime.
        if (replacement === null) await requireUnused(transaction, role);
        else {
          await moveInvitedRoles(transaction, role, replacement.id);
          if (containsMore(organizationRoles, replacement, record))
            await given.growRole(transaction, { ...role, replaced }, authority.actor);
          await given.moveRole(transaction, role, replacement.id);
        }
        await markRoleDeleted(transaction, role, replacement);
        await deleteRoles(transaction, role.organization_id, [role.id, ...replaced]);
      },
      detail: () => ({ before: fieldsOf(record), replace_with }),
    });
    removeSoon();
  };
}

/** Throws 409 if members have the role, or open invitations or single sign-on give it. */
async function requireUnused(connection: Connection, role: RoleKey): Promise<void> {
  const members = await countHoldersOf(connection, role);
  const invitations = await countInvitationsToRole(connection, role);
  const connections = await countConnectionsGiving(connection, role);
  if (members + invitations + connections > 0)
    throw roleInUse({ members, invitations, connections });
}

export const roleInUse = (holders: { members: number; invitations: number; connections: number }) =>
  conflict(
    'role_in_use',
    'Members still have this role, or invitations or single sign-on give it: name its replacement in `replace_with`.',
    { detail: holders },
  );
export const unknownReplacement = () =>
  unprocessable('unknown_role', 'Name another role of this organization.', {
    detail: { pointer: '/replace_with' },
  });
