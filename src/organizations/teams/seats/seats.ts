import { everyTeamGrant } from '../../../authz/permissions.ts';
import { authorityOf } from '../../../caller/actor.ts';
import type { Authority } from '../../../caller/actor.ts';
import type { Principal } from '../../../caller/principal.ts';
import type { RequestFacts } from '../../../caller/route.ts';
import {
  absent,
  conflict,
  throwIfProblems,
  unprocessable,
} from '../../../platform/errors/refusal.ts';
import type { Page, PageQuery } from '../../../platform/http/pages.ts';
import { toPage } from '../../../platform/http/pages.ts';
import type { Queryable, Transaction } from '../../../platform/postgres/database.ts';
import { isUnchanged } from '../../../platform/unchanged.ts';
import type { OrganizationsDependencies } from '../../dependencies.ts';
import { isSelf } from '../../members/rules.ts';
import { findMember } from '../../members/store.ts';
import type { MemberRow } from '../../members/store.ts';
import { nameOf } from '../../roles/kind.ts';
import type { HeldRole } from '../../roles/kind.ts';
import type { Grants } from '../../grants/grants.ts';
import { createRoleChoice } from '../../roles/choice.ts';
import { organizationRoles, TEAM_ADMIN_ROLE, teamRoles } from '../../roles/system.ts';
import type { TeamParams } from '../schema.ts';
import { lockTeamShared } from '../store.ts';
import { seatChangeOf } from './change.ts';
import type { SeatDraft, SeatEdit, SeatParams, SeatRecord } from './schema.ts';
import {
  countSeatsOf,
  deleteSeats,
  findSeat,
  insertSeat,
  listSeats,
  listTeamIdsOf,
  replaceSeatRoles,
} from './store.ts';
import type { SeatKey, SeatRow } from './store.ts';

/** Operations on the members of teams. */
export interface Seats {
  list(team: TeamParams, page: PageQuery): Promise<Page<SeatRecord>>;
  /** Returns the ids of the teams that a member has joined, even of deleted ones. */
  teamIdsOf(membership_id: string): Promise<readonly string[]>;
  /** Throws 404 unless the person has a seat in the team. */
  require(params: SeatParams): Promise<unknown>;
  create(
    caller: Principal,
    team: TeamParams,
    draft: SeatDraft,
    request: RequestFacts,
  ): Promise<SeatRecord>;
  /** Replaces the roles of a seat. */
  update(
    caller: Principal,
    params: SeatParams,
    edit: SeatEdit,
    request: RequestFacts,
  ): Promise<SeatRecord>;
  /** Ends a seat; people may always leave a team in a session. */
  remove(caller: Principal, params: SeatParams, request: RequestFacts): Promise<void>;
}

export interface SeatsDependencies extends Pick<
  OrganizationsDependencies,
  'database' | 'authz' | 'endOutgrownAccess'
> {
  grants: Grants;
}

export function createSeats(dependencies: SeatsDependencies): Seats {
  const { authz, grants } = dependencies;
  const { pool } = dependencies.database;
  const chooseRoles = createRoleChoice({ ...dependencies, kind: teamRoles });
  const giving = createGiving(dependencies);

  /** Throws 403 unless the caller has all that the member has in the team. */
  const requireHoldsAll = (caller: Principal, team: TeamParams, member: MemberRow, seat: SeatRow) =>
    grants.requireHoldsAll(caller, [contentIn(member, seat)], team);

  return {
    teamIdsOf: (membership_id) => listTeamIdsOf(pool, membership_id),
    async list({ team_id }, page) {
      const { limit, cursor = null } = page;
      const rows = await listSeats(pool, team_id, { limit: limit + 1, cursor });
      const { data, next_cursor } = toPage(rows, page);
      return { data: data.map(({ id: _id, ...row }) => recordOf(row, row)), next_cursor };
    },
    require: (params) => getSeat(pool, params),
    create: createAddition(dependencies),
    async update(caller, params, edit, request) {
      const { member, seat } = await getSeat(pool, params);
      if (!isSelf(caller, member)) await requireHoldsAll(caller, params, member, seat);
      const before = seat.roles.map(({ id }) => id);
      const role_ids = [...new Set(edit.role_ids)];
      const chosen = await chooseRoles(caller, params, { role_ids, held: before });
      throwIfProblems(chosen.problems);
      if (isUnchanged(before, role_ids)) return recordOf(member, seat);
      const authority = authorityOf(caller, request);
      await authz.change({
        ...seatChangeOf(member, params.team_id, authority),
        reason: 'team_member.update',
        work: giving(member, authority, (transaction) =>
          replaceSeatRoles(transaction, seatKey(member, params), role_ids),
        ),
        detail: () => ({ before: { role_ids: before }, after: { role_ids } }),
      });
      return recordOf(member, { ...seat, roles: chosen.roles });
    },
    async remove(caller, params, request) {
      const { member, seat } = await getSeat(pool, params);
      const isLeaving = isSelf(caller, member);
      if (!isLeaving) {
        await grants.requirePermission(caller, 'members_delete', params);
        await requireHoldsAll(caller, params, member, seat);
      }
      await authz.change({
        ...seatChangeOf(member, params.team_id, authorityOf(caller, request)),
        reason: isLeaving ? 'team_member.leave' : 'team_member.remove',
        work: (transaction) => deleteSeats(transaction, params.team_id, [member.id]),
        detail: () => ({ before: { role_ids: seat.roles.map(({ id }) => id) } }),
      });
    },
  };
}

/** Creates the function that gives a member a seat. */
function createAddition(dependencies: SeatsDependencies): Seats['create'] {
  const { authz, database } = dependencies;
  const { pool } = database;
  const chooseRoles = createRoleChoice({ ...dependencies, kind: teamRoles });
  const giving = createGiving(dependencies);
  return (caller, team, draft, request) =>
    request.once<SeatRecord>(async (save) => {
      const { organization_id, team_id } = team;
      const member = await findMember(pool, { ...draft, organization_id });
      if (member && (await findSeat(pool, seatKey(member, team)))) throw alreadyMember();
      if (member === null) throw notMember();
      const role_ids = [...new Set(draft.role_ids)];
      const { problems, roles } = await chooseRoles(caller, team, { role_ids, held: [] });
      throwIfProblems(problems);
      const authority = authorityOf(caller, request);
      const give = giving(member, authority, (transaction) =>
        addSeat(transaction, seatKey(member, team), role_ids),
      );
      return authz.change({
        ...seatChangeOf(member, team_id, authority),
        reason: 'team_member.add',
        async work(transaction) {
          const joined_at = await give(transaction);
          return save(transaction, recordOf(member, { roles, joined_at }));
        },
        detail: () => ({ after: { role_ids } }),
      });
    });
}

/** Reads the member first: a later change of the seat also changes the member's scope. */
async function getSeat(
  db: Queryable,
  params: SeatParams,
): Promise<{ member: MemberRow; seat: SeatRow }> {
  const member = await findMember(db, params);
  const seat = member && (await findSeat(db, seatKey(member, params)));
  if (seat === null) throw absent('not in the team');
  return { member: member!, seat };
}

/** Creates the function that adds what follows from giving a member something to that work. */
const createGiving =
  ({ endOutgrownAccess }: Pick<SeatsDependencies, 'endOutgrownAccess'>) =>
  <Result>(
    member: MemberRow,
    { actor }: Authority,
    give: (transaction: Transaction) => Promise<Result>,
  ) =>
  async (transaction: Transaction): Promise<Result> => {
    const given = await give(transaction);
    await endOutgrownAccess(transaction, member, actor);
    return given;
  };

// Each adds a check to every MCP request of a credential that follows its person's teams.
const MAX_SEATS = 50;

/**
 * Adds a seat and returns its creation time. The calling change must have checked that the roles
 * may be granted, and must write the member's scope.
 */
export async function addSeat(
  transaction: Transaction,
  seat: SeatKey,
  role_ids: readonly string[],
): Promise<string> {
  const { organization_id, team_id } = seat;
  if (!(await lockTeamShared(transaction, { id: team_id, organization_id })))
    throw absent('the team was deleted concurrently');
  // Counted under the lock of the member's scope, so that the limit is exact.
  if ((await countSeatsOf(transaction, seat.membership_id)) >= MAX_SEATS)
    throw unprocessable(
      'limit_reached',
      `A member can be in at most ${MAX_SEATS} teams. Remove them from another one first.`,
    );
  const joined_at = await insertSeat(transaction, seat);
  if (joined_at === null) throw alreadyMember();
  await replaceSeatRoles(transaction, seat, role_ids);
  return joined_at;
}

const seatKey = (
  { id, organization_id }: MemberRow,
  { team_id }: Pick<TeamParams, 'team_id'>,
): SeatKey => ({ organization_id, team_id, membership_id: id });

/** Returns what a member has in a team; a member who may manage every team has everything. */
export function contentIn(member: Pick<MemberRow, 'roles'>, seat: Pick<SeatRow, 'roles'>) {
  const roles = seat.roles.map(teamRoles.resolve);
  const { permissions } = organizationRoles.contentOf(member.roles.map(organizationRoles.resolve));
  const managesEvery = permissions.includes(everyTeamGrant);
  const all = teamRoles.systemRoleOf(TEAM_ADMIN_ROLE)!;
  return teamRoles.contentOf(managesEvery ? [...roles, all] : roles);
}

function recordOf(
  { account_id, email, first_name, last_name }: Omit<SeatRecord, 'roles' | 'joined_at'>,
  { roles, joined_at }: { roles: readonly HeldRole[]; joined_at: string },
): SeatRecord {
  const roleNames = roles.map(teamRoles.resolve).map(nameOf);
  return { account_id, email, first_name, last_name, roles: roleNames, joined_at };
}

const alreadyMember = () =>
  conflict('already_member', 'This person is already in the team: change their roles instead.');
const notMember = () =>
  unprocessable('not_a_member', 'Name a member of this organization.', {
    detail: { pointer: '/account_id' },
  });
