import { ConcurrentUpdate } from '../../../authz/authz.ts';
import type { Change } from '../../../authz/authz.ts';
import { authorityOf } from '../../../caller/actor.ts';
import type { Authority } from '../../../caller/actor.ts';
import type { Principal } from '../../../caller/principal.ts';
import type { RequestFacts } from '../../../caller/route.ts';
import type { ScopeRef } from '../../../caller/scope.ts';
import { throwIfAny } from '../../../platform/errors/refusal.ts';
import { MAX_PROBLEMS } from '../../escalation.ts';
import { roleInUse, unknownReplacement } from '../../roles/deletion.ts';
import { requireCustom } from '../../roles/rules.ts';
import type { RoleDeletion } from '../../roles/schema.ts';
import { moveSeats, someSeatsWith } from '../seats/store.ts';
import type { NamedSeat } from '../seats/store.ts';
import { seatObject } from '../seats/tuples.ts';
import { teamRoleChangeOf } from './change.ts';
import type { TeamRoleChangeDependencies } from './dependencies.ts';
import { requireOwn } from './rules.ts';
import { countTeamHolders, deleteTeamRoles, teamsOfRole } from './store.ts';
import type { OwnedRole } from './store.ts';

// Each holder is a scope of its own, with a Write to OpenFGA: these many are through within the
// second that a change waits.
const BATCH = 20;

/**
 * Deletes a team role. Its holders get the replacement in batches; the last batch and the role are
 * one change. The caller is among the last, or would lose the right to go on.
 */
export function createTeamRoleDeletion(dependencies: TeamRoleChangeDependencies) {
  const { database, authz, guard, get } = dependencies;
  const { pool } = database;

  async function requireGivable(caller: Principal, deletion: Deletion, to: string): Promise<void> {
    const { role, teams } = deletion;
    if (to === role.role_id) throw unknownReplacement();
    const replacement = await get({ ...role, role_id: to }).catch(() => {
      throw unknownReplacement();
    });
    const granted = [{ pointer: '/replace_with', content: replacement }];
    const { organization_id } = role;
    const measured = teams.map((team_id) => ({ organization_id, team_id }));
    throwIfAny(await guard.problemsIn(caller, measured, granted), MAX_PROBLEMS);
  }

  return async function remove(
    caller: Principal,
    role: OwnedRole,
    query: RoleDeletion,
    request: RequestFacts,
  ): Promise<void> {
    const replace_with = query.replace_with ?? null;
    const record = await get(role);
    requireCustom(record);
    requireOwn(record, role);
    const key = { id: role.role_id, organization_id: role.organization_id };
    const deletion: Deletion = {
      ...{ role, replace_with, authority: authorityOf(caller, request) },
      teams: await teamsOfRole(pool, key),
    };
    if (replace_with !== null) await requireGivable(caller, deletion, replace_with);
    else if (deletion.teams.length > 0)
      throw roleInUse({ members: (await countTeamHolders(pool, role)).get(role.role_id) ?? 1 });
    const some = () => someSeatsWith(pool, key, { limit: BATCH + 1, last: caller.person });
    let seats = await some();
    for (; seats.length > BATCH; seats = await some())
      await authz.change(moveOf(deletion, seats.slice(0, BATCH)));
    await authz.change(deletionOf(deletion, seats));
  };
}

interface Deletion {
  role: OwnedRole;
  /** Null if nobody holds it but in teams that are deleted and being removed. */
  replace_with: string | null;
  /** The teams in which the replacement is the caller's to give. */
  teams: readonly string[];
  authority: Authority;
}

/** Returns the change that gives some holders the replacement. */
function moveOf(deletion: Deletion, seats: readonly NamedSeat[]): Change<void> {
  const { role, replace_with, teams, authority } = deletion;
  const [first, ...rest] = new Set(seats.map((seat) => seat.membership_id));
  const scopeOf = (id: string): ScopeRef => ({ kind: 'membership', id });
  return {
    ...teamRoleChangeOf({ ...role, id: role.role_id }, authority),
    reason: 'team_role.delete',
    writes: [scopeOf(first!), ...rest.map(scopeOf)],
    objects: seats.map((seat) => ({ object: seatObject(seat) })),
    async work(transaction) {
      const held = await teamsOfRole(transaction, { ...role, id: role.role_id });
      // It is held in another team since, where the replacement was not measured.
      if (held.some((team) => !teams.includes(team))) throw new ConcurrentUpdate();
      await moveSeats(transaction, seats, { from: role.role_id, to: replace_with });
    },
    detail: () => ({ replace_with }),
  };
}

/** Returns the change that gives the last holders the replacement and deletes the role. */
function deletionOf(deletion: Deletion, seats: readonly NamedSeat[]): Change<void> {
  const { role, replace_with } = deletion;
  const removal = teamRoleChangeOf({ ...role, id: role.role_id }, deletion.authority);
  const move = seats.length > 0 ? moveOf(deletion, seats) : null;
  return {
    ...removal,
    reason: 'team_role.delete',
    // The members first: none is without a role while the changes reach OpenFGA.
    writes: move ? [...move.writes, ...removal.writes] : removal.writes,
    objects: [...(move?.objects ?? []), ...removal.objects],
    async work(transaction) {
      await move?.work(transaction);
      const key = { id: role.role_id, organization_id: role.organization_id };
      const others = await someSeatsWith(transaction, key, { limit: 1, last: null });
      // Somebody got the role meanwhile.
      if (others.length > 0) throw new ConcurrentUpdate();
      await deleteTeamRoles(transaction, [role.role_id]);
    },
    detail: () => ({ replace_with }),
  };
}
