import type { Slice, Tuple } from '../../../authz/authz.ts';
import type { ScopeRef } from '../../../caller/scope.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { Connection } from '../../../platform/postgres/database.ts';
import { findMemberships } from '../../members/store.ts';
import { memberOf, membershipObject } from '../../members/tuples.ts';
import { teamRoles } from '../roles/system.ts';
import { findSeat, findSeats, listSeatsOf } from './store.ts';
import type { NamedSeat } from './store.ts';

const seatName = ({ team_id, account_id }: Pick<NamedSeat, 'team_id' | 'account_id'>) =>
  `${team_id}.${account_id}`;

/** Returns the object of a member's seat in a team. */
export const seatObject = (seat: Pick<NamedSeat, 'team_id' | 'account_id'>) =>
  `team_seat:${seatName(seat)}`;

/** Returns what a change of a seat may affect: the seat, and the membership's tuple of it. */
export const slicesOf = (seat: Omit<NamedSeat, 'membership_id'>): Slice[] => [
  { object: seatObject(seat) },
  { object: membershipObject(seat), subject: seatObject(seat) },
];

/** Reads the id of a seat's object: `<team>.<account>`; null for any other text. */
function seatOf(id: string): Pick<NamedSeat, 'team_id' | 'account_id'> | null {
  const [team_id = '', account_id = '', ...rest] = id.split('.');
  const isName = [team_id, account_id].every((one) => isUuid(one) && one === one.toLowerCase());
  return isName && rest.length === 0 ? { team_id, account_id } : null;
}

async function findNamed(connection: Connection, ids: readonly string[]) {
  const seats = ids.map(seatOf).filter((one) => one !== null);
  return seats.length === 0 ? [] : findSeats(connection, seats);
}

/** Finds the scopes of seats: those of the memberships. */
export async function seatScopes(
  connection: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ScopeRef>> {
  const rows = await findNamed(connection, ids);
  return new Map(rows.map((row) => [seatName(row), { kind: 'membership', id: row.membership_id }]));
}

export async function listSeatObjects(
  connection: Connection,
  { id }: ScopeRef,
): Promise<readonly string[]> {
  return (await listSeatsOf(connection, [id])).map(seatName);
}

/** Returns the tuples that say whose seat it is; without `joined` it gives no permission. */
export async function projectJoined(
  connection: Connection,
  id: string,
  subject: string | null,
): Promise<Tuple[]> {
  const users = (await findNamed(connection, [id]))
    .map(membershipObject)
    .filter((user) => subject === null || user === `membership:${subject}`);
  return users.flatMap((user) =>
    ['joined', 'holder'].map((relation) => ({ user, relation, object: `team_seat:${id}` })),
  );
}

export async function projectSeatRoles(
  connection: Connection,
  id: string,
  subject: string | null,
): Promise<Tuple[]> {
  const [named] = await findNamed(connection, [id]);
  const seat = named && (await findSeat(connection, named));
  return (seat?.roles ?? [])
    .map((role) => teamRoles.objectOf(role.id))
    .filter((user) => subject === null || user === `team_role:${subject}`)
    .map((user) => ({ user, relation: 'role', object: `team_seat:${id}` }));
}

/** Returns a membership's tuples of its seats, by which their capabilities count (C3). */
export async function projectSeatsOf(
  connection: Connection,
  id: string,
  subject: string | null,
): Promise<Tuple[]> {
  const member = memberOf(id);
  const [row] = member === null ? [] : await findMemberships(connection, [member]);
  const seats = row === undefined ? [] : await listSeatsOf(connection, [row.id]);
  return seats
    .map(seatObject)
    .filter((user) => subject === null || user === `team_seat:${subject}`)
    .map((user) => ({ user, relation: 'team_seat', object: `membership:${id}` }));
}
