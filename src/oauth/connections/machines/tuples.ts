import type { Tuple } from '../../../authz/authz.ts';
import type { ScopeRef } from '../../../caller/scope.ts';
import { memberOf, seatOf } from '../../../organizations/organizations.ts';
import type { Connection } from '../../../platform/postgres/database.ts';
import { findMachineAuthority } from '../authority.ts';
import { scopeRelations, tupleOf } from '../tuples.ts';
import { findMachineById, findMachines, findMachineSeats, listMachineSeats } from './store.ts';
import type { Machine, MachineSeat } from './store.ts';

const machineName = ({ organization_id, id }: Machine) => `${organization_id}.${id}`;

/** Returns the context object of a machine connection. */
export const machineObject = (machine: Machine) => `service:${machineName(machine)}` as const;

/** Returns the object of a machine connection's seat in a team. */
export const machineSeatObject = (seat: Pick<MachineSeat, 'team_id' | 'connection_id'>) =>
  `team_seat:${seat.team_id}.${seat.connection_id}`;

/** Parses the id of a service's object, `<organization>.<connection>`; null for any other text. */
function machineOf(id: string): Machine | null {
  const ids = memberOf(id);
  return ids && { organization_id: ids.organization_id, id: ids.account_id };
}

function machineSeatOf(id: string) {
  const ids = seatOf(id);
  return ids && { team_id: ids.team_id, connection_id: ids.account_id };
}

const scopeOf = (id: string): ScopeRef => ({ kind: 'service', id });

/** Finds the scopes of machine connections; a scope remains after its connection is revoked. */
export async function machineScopes(
  connection: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ScopeRef>> {
  const machines = ids.map(machineOf).filter((one) => one !== null);
  const rows = machines.length === 0 ? [] : await findMachines(connection, machines);
  return new Map(rows.map((row) => [machineName(row), scopeOf(row.id)]));
}

export async function listMachineObjects(
  connection: Connection,
  { id }: ScopeRef,
): Promise<readonly string[]> {
  const row = await findMachineById(connection, id);
  return row === null ? [] : [machineName(row)];
}

/** Projects a live machine connection to the tuples of its service. */
export async function projectMachine(
  connection: Connection,
  service: string,
  subject: string | null,
): Promise<Tuple[]> {
  const machine = machineOf(service);
  if (machine === null || (subject ?? machine.id) !== machine.id) return [];
  const row = await findMachineAuthority(connection, machine);
  if (row === null) return [];
  return [...scopeRelations(row.scopes, ['organization', 'team']), 'bearer'].map(
    tupleOf(`machine:${machine.id}`, machineObject(machine)),
  );
}

async function findSeat(connection: Connection, id: string): Promise<MachineSeat | null> {
  const named = machineSeatOf(id);
  const [seat = null] = named === null ? [] : await findMachineSeats(connection, [named]);
  return seat;
}

/** Finds the scopes of the seats of machine connections. */
export async function machineSeatScopes(
  connection: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ScopeRef>> {
  const named = ids.map(machineSeatOf).filter((seat) => seat !== null);
  const rows = named.length === 0 ? [] : await findMachineSeats(connection, named);
  return new Map(rows.map(({ team_id, connection_id: id }) => [`${team_id}.${id}`, scopeOf(id)]));
}

export async function listMachineSeatObjects(
  connection: Connection,
  { id }: ScopeRef,
): Promise<readonly string[]> {
  const seats = await listMachineSeats(connection, [id]);
  return seats.map(({ team_id, connection_id }) => `${team_id}.${connection_id}`);
}

/** Returns the tuple that links a seat to the service of its machine connection. */
export async function projectMachineHolder(
  connection: Connection,
  id: string,
  subject: string | null,
): Promise<Tuple[]> {
  const seat = await findSeat(connection, id);
  if (seat === null) return [];
  const user = machineObject({ organization_id: seat.organization_id, id: seat.connection_id });
  if (subject !== null && user !== `service:${subject}`) return [];
  return [{ user, relation: 'holder', object: `team_seat:${id}` }];
}

/** Returns the tuple that makes a machine connection active in a team. */
export async function projectMachineBound(
  connection: Connection,
  id: string,
  subject: string | null,
): Promise<Tuple[]> {
  const seat = await findSeat(connection, id);
  if (seat === null || (subject ?? seat.connection_id) !== seat.connection_id) return [];
  return [tupleOf(`machine:${seat.connection_id}`, `team_seat:${id}`)('bound')];
}
