import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Authz, Change } from '../../authz/authz.ts';
import { authorityOf } from '../../caller/actor.ts';
import type { Authority } from '../../caller/actor.ts';
import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import { conflict, throwIfProblems, unprocessable } from '../../platform/errors/refusal.ts';
import type { Connection, Database } from '../../platform/postgres/database.ts';
import { MAX_PROBLEMS } from '../escalation.ts';
import type { EscalationGuard } from '../escalation.ts';
import { countInvitationsToRole, moveInvitedRoles } from '../invitations/roles/store.ts';
import { endExpiredInvitations } from '../invitations/store.ts';
import { listHolders, moveHolders } from '../members/store.ts';
import type { MembershipRow } from '../members/store.ts';
import { membershipObject } from '../members/tuples.ts';
import { changeOf } from './change.ts';
import { createRoleChoice } from './choice.ts';
import { requireCustom } from './rules.ts';
import type { RoleDeletion, RoleParams, RoleRecord } from './schema.ts';
import { countHoldersOf, deleteRoles } from './store.ts';
import type { RoleKey } from './store.ts';

export interface RoleDeletionDependencies {
  database: Pick<Database, 'pool'>;
  authz: Pick<Authz, 'change'>;
  escalation: EscalationGuard;
  get(params: RoleParams): Promise<RoleRecord>;
}

// Each holder is a scope of its own, which takes a Write to OpenFGA; this many are applied within
// the second for which a change waits.
const BATCH = 20;

/**
 * Deletes a role. Its holders get the replacement in batches; the last batch and the role's
 * deletion are one change. The caller comes last: otherwise they might lose the permission to
 * continue.
 */
export function createRoleDeletion({ database, authz, escalation, get }: RoleDeletionDependencies) {
  const chooseRoles = createRoleChoice({ database, escalation });

  async function requireAssignable(
    caller: Principal,
    { id, organization_id }: RoleKey,
    to: string,
  ) {
    if (to === id) throw unknownReplacement();
    const chosen = { role_ids: [to], held: [] };
    const { problems } = await chooseRoles(caller, organization_id, chosen, '/replace_with');
    throwIfProblems(problems, MAX_PROBLEMS);
  }

  return async function remove(
    caller: Principal,
    params: RoleParams,
    { replace_with }: RoleDeletion,
    request: RequestFacts,
  ): Promise<void> {
    requireCustom(await get(params));
    const role = { id: params.role_id, organization_id: params.organization_id };
    if (replace_with !== undefined) await requireAssignable(caller, role, replace_with);
    const deletion: Deletion = { role, replace_with, authority: authorityOf(caller, request) };
    const remaining = () =>
      listHolders(database.pool, role, { limit: BATCH + 1, last: caller.person });
    let holders = await remaining();
    if (replace_with === undefined) await requireUnused(database.pool, role);
    for (; holders.length > BATCH; holders = await remaining())
      await authz.change(moveOf(deletion, holders.slice(0, BATCH)));
    await authz.change(deletionOf(deletion, holders));
  };
}

interface Deletion {
  role: RoleKey;
  replace_with: string | undefined;
  authority: Authority;
}

/** Returns the change that gives some holders the replacement. */
function moveOf(deletion: Deletion, holders: readonly MembershipRow[]): Change<void> {
  const { role, replace_with } = deletion;
  const [first, ...rest] = holders.map(({ id }): ScopeRef => ({ kind: 'membership', id }));
  return {
    ...changeOf(role, deletion.authority),
    reason: 'role.delete',
    writes: [first!, ...rest],
    objects: holders.map((member) => ({ object: membershipObject(member) })),
    async work(transaction) {
      if (replace_with === undefined) return;
      const ids = holders.map(({ id }) => id);
      await moveHolders(transaction, ids, { from: role.id, to: replace_with });
    },
    detail: () => ({ replace_with: replace_with ?? null }),
  };
}

/** Returns the change that gives the last holders the replacement and deletes the role. */
function deletionOf(deletion: Deletion, holders: readonly MembershipRow[]): Change<void> {
  const { role } = deletion;
  const removal = changeOf(role, deletion.authority);
  const move = holders.length > 0 ? moveOf(deletion, holders) : null;
  return {
    ...removal,
    reason: 'role.delete',
    // Members come first, so that none is without a role while the scopes are applied to OpenFGA.
    writes: move ? [...move.writes, ...removal.writes] : removal.writes,
    objects: [...(move?.objects ?? []), ...removal.objects],
    async work(transaction) {
      await move?.work(transaction);
      const others = await listHolders(transaction, role, { limit: 1, last: null });
      // Someone was given the role in the meantime.
      if (others.length > 0) throw new ConcurrentUpdate();
      await endExpiredInvitations(transaction, role);
      if (deletion.replace_with === undefined) await requireUnused(transaction, role);
      else await moveInvitedRoles(transaction, role, deletion.replace_with);
      await deleteRoles(transaction, role.organization_id, [role.id]);
    },
    detail: () => ({ replace_with: deletion.replace_with ?? null }),
  };
}

/** Throws 409 if members have the role, or open invitations grant it. */
async function requireUnused(connection: Connection, role: RoleKey): Promise<void> {
  const members = await countHoldersOf(connection, role);
  const invitations = await countInvitationsToRole(connection, role);
  if (members + invitations > 0) throw roleInUse({ members, invitations });
}

export const roleInUse = (holders: { members: number; invitations: number }) =>
  conflict(
    'role_in_use',
    'Members still have this role, or invitations give it: name its replacement in `replace_with`.',
    { detail: holders },
  );
export const unknownReplacement = () =>
  unprocessable('unknown_role', 'Name another role of this organization.', {
    detail: { pointer: '/replace_with' },
  });
