import type { Slice, Tuple } from '../../../authz/authz.ts';
import type { ScopeRef } from '../../../caller/scope.ts';
import { parsePair } from '../../../platform/ids.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { findMemberships } from '../../members/store.ts';
import { memberOf, membershipObject } from '../../members/tuples.ts';
import { teamRoles } from '../../roles/system.ts';
import { findSeats, listSeatRoleIds, listSeatsOf } from './store.ts';
import type { NamedSeat, SeatName } from './store.ts';

const seatName = ({ team_id, account_id }: Pick<NamedSeat, 'team_id' | 'account_id'>) =>
  `${team_id}.${account_id}`;

/** Returns the object of a member's seat in a team. */
export const seatObject = (seat: Pick<NamedSeat, 'team_id' | 'account_id'>) =>
  `team_seat:${seatName(seat)}`;

/** Returns the slices that a change of a seat may affect: the seat and its membership's tuple. */
export const slicesOf = (seat: SeatName): Slice[] => [
  { object: seatObject(seat) },
  { object: membershipObject(seat), subject: seatObject(seat) },
];

/** Parses the id of a seat's object, `<team>.<account>`; null for any other text. */
export function seatOf(id: string): Pick<NamedSeat, 'team_id' | 'account_id'> | null {
  const ids = parsePair(id);
  return ids && { team_id: ids[0], account_id: ids[1] };
}

async function findSeatsByObject(db: Queryable, ids: readonly string[]) {
  const seats = ids.map(seatOf).filter((part) => part !== null);
  return seats.length === 0 ? [] : findSeats(db, seats);
}

/** Finds the scopes of seats, which are those of their memberships. */
export async function seatScopes(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ScopeRef>> {
  const rows = await findSeatsByObject(db, ids);
  return new Map(rows.map((row) => [seatName(row), { kind: 'membership', id: row.membership_id }]));
}

export async function listSeatObjects(db: Queryable, { id }: ScopeRef): Promise<readonly string[]> {
  return (await listSeatsOf(db, [id])).map(seatName);
}

/**
 * Returns the tuples that link a seat to its member. Without `joined`, the seat grants nothing,
 * except to keys that are bound to it while the member may manage every team.
 */
export async function projectJoined(
  db: Queryable,
  id: string,
  subject: string | null,
): Promise<Tuple[]> {
  return (await findSeatsByObject(db, [id]))
    .map((seat) => ({ user: membershipObject(seat), joined: seat.joined }))
    .filter(({ user }) => subject === null || user === `membership:${subject}`)
    .flatMap(({ user, joined }) =>
      [...(joined ? ['joined'] : []), 'holder'].map((relation) => ({
        ...{ user, relation, object: `team_seat:${id}` },
      })),
    );
}

export async function projectSeatRoles(
  db: Queryable,
  id: string,
  subject: string | null,
): Promise<Tuple[]> {
  const [row] = await findSeatsByObject(db, [id]);
  const roleIds = row && (await listSeatRoleIds(db, row));
  return (roleIds ?? [])
    .map(teamRoles.objectOf)
    .filter((user) => subject === null || user === `team_role:${subject}`)
    .map((user) => ({ user, relation: 'role', object: `team_seat:${id}` }));
}

/** Returns a membership's tuples for its seats, which add their capabilities (C3). */
export async function projectSeatsOf(
  db: Queryable,
  id: string,
  subject: string | null,
): Promise<Tuple[]> {
  const member = memberOf(id);
  const [row] = member === null ? [] : await findMemberships(db, [member]);
  const seats = row === undefined ? [] : await listSeatsOf(db, [row.id]);
  return seats
    .filter(({ joined }) => joined)
    .map(seatObject)
    .filter((user) => subject === null || user === `team_seat:${subject}`)
    .map((user) => ({ user, relation: 'team_seat', object: `membership:${id}` }));
}
