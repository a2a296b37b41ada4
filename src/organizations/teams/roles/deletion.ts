import { ConcurrentUpdate } from '../../../authz/authz.ts';
import type { Change } from '../../../authz/authz.ts';
import { authorityOf } from '../../../caller/actor.ts';
import type { Authority } from '../../../caller/actor.ts';
import type { Principal } from '../../../caller/principal.ts';
import type { RequestFacts } from '../../../caller/route.ts';
import type { ScopeRef } from '../../../caller/scope.ts';
import { isRefusal, throwIfProblems } from '../../../platform/errors/refusal.ts';
import type { Connection } from '../../../platform/postgres/database.ts';
import { MAX_PROBLEMS } from '../../escalation.ts';
import type { InvitedRole } from '../../invitations/roles/store.ts';
import { countInvitationsToTeamRole, moveInvitedSeats } from '../../invitations/seats/store.ts';
import { endExpiredInvitations } from '../../invitations/store.ts';
import { roleInUse, unknownReplacement } from '../../roles/deletion.ts';
import { requireCustom } from '../../roles/rules.ts';
import type { RoleDeletion } from '../../roles/schema.ts';
import { moveSeats, listSeatsWithRole } from '../seats/store.ts';
import type { NamedSeat } from '../seats/store.ts';
import { seatObject } from '../seats/tuples.ts';
import { teamRoleChangeOf } from './change.ts';
import type { TeamRoleChangeDependencies } from './dependencies.ts';
import { requireSameOwner } from './rules.ts';
import { countTeamHoldersOf, deleteTeamRoles } from './store.ts';
import type { OwnedRole } from './store.ts';
import { listTeamsWithRole } from './teams-with-role.ts';

// Each holder is a scope of its own, which takes a Write to OpenFGA; this many are applied within
// the second for which a change waits.
const BATCH = 20;

/**
 * Deletes a team role. Its holders get the replacement in batches; the last batch and the role's
 * deletion are one change. The caller comes last: otherwise they might lose the permission to
 * continue.
 */
export function createTeamRoleDeletion(dependencies: TeamRoleChangeDependencies) {
  const { database, authz, guard, get } = dependencies;
  const { pool } = database;

  async function requireGrantable(
    caller: Principal,
    deletion: Deletion,
    to: string,
  ): Promise<void> {
    const { role, teams } = deletion;
    if (to === role.role_id) throw unknownReplacement();
    const replacement = await get({ ...role, role_id: to }).catch((error: unknown) => {
      throw isRefusal(error) && error.kind === 'absent' ? unknownReplacement() : error;
    });
    const granted = [{ pointer: '/replace_with', content: replacement }];
    const { organization_id } = role;
    const params = teams.map((team_id) => ({ organization_id, team_id }));
    throwIfProblems(await guard.problemsInTeams(caller, params, granted), MAX_PROBLEMS);
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
    requireSameOwner(record, role);
    const key = { id: role.role_id, organization_id: role.organization_id };
    const deletion: Deletion = {
      ...{ role, replace_with, authority: authorityOf(caller, request) },
      teams: await listTeamsWithRole(pool, key),
    };
    if (replace_with !== null) await requireGrantable(caller, deletion, replace_with);
    else await requireUnused(pool, role, key);
    const nextSeats = () => listSeatsWithRole(pool, key, { limit: BATCH + 1, last: caller.person });
    let seats = await nextSeats();
    for (; seats.length > BATCH; seats = await nextSeats())
      await authz.change(moveOf(deletion, seats.slice(0, BATCH)));
    await authz.change(deletionOf(deletion, seats));
  };
}

interface Deletion {
  role: OwnedRole;
  /** Null if only seats in deleted teams, which are being removed, may still have the role. */
  replace_with: string | null;
  /** The teams in which members or open invitations have the role, where the caller was checked. */
  teams: readonly string[];
  authority: Authority;
}

/** Throws if the role has since been granted in a team where the caller was not checked. */
async function requireSameTeams(connection: Connection, { role, teams }: Deletion): Promise<void> {
  const current = await listTeamsWithRole(connection, { ...role, id: role.role_id });
  if (current.some((team) => !teams.includes(team))) throw new ConcurrentUpdate();
}

/** Throws 409 if members have the role, or open invitations grant it. */
async function requireUnused(
  connection: Connection,
  role: OwnedRole,
  key: InvitedRole,
): Promise<void> {
  const members = await countTeamHoldersOf(connection, role);
  const invitations = await countInvitationsToTeamRole(connection, key);
  if (members + invitations > 0) throw roleInUse({ members, invitations });
}

/** Returns the change that gives some holders the replacement. */
function moveOf(deletion: Deletion, seats: readonly NamedSeat[]): Change<void> {
  const { role, replace_with, authority } = deletion;
  const [first, ...rest] = new Set(seats.map((seat) => seat.membership_id));
  const scopeOf = (id: string): ScopeRef => ({ kind: 'membership', id });
  return {
    ...teamRoleChangeOf({ ...role, id: role.role_id }, authority),
    reason: 'team_role.delete',
    writes: [scopeOf(first!), ...rest.map(scopeOf)],
    objects: seats.map((seat) => ({ object: seatObject(seat) })),
    async work(transaction) {
      await requireSameTeams(transaction, deletion);
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
    // Members come first, so that none is without a role while the changes reach OpenFGA.
    writes: move ? [...move.writes, ...removal.writes] : removal.writes,
    objects: [...(move?.objects ?? []), ...removal.objects],
    async work(transaction) {
      await move?.work(transaction);
      const key = { id: role.role_id, organization_id: role.organization_id };
      const others = await listSeatsWithRole(transaction, key, { limit: 1, last: null });
      // Someone was given the role in the meantime.
      if (others.length > 0) throw new ConcurrentUpdate();
      await endExpiredInvitations(transaction, key);
      if (replace_with === null) await requireUnused(transaction, role, key);
      else await requireSameTeams(transaction, deletion);
      await moveInvitedSeats(transaction, key, replace_with);
      await deleteTeamRoles(transaction, [role.role_id]);
    },
    detail: () => ({ replace_with }),
  };
}
