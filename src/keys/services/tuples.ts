import type { Tuple } from '../../authz/authz.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import { memberOf, seatOf } from '../../organizations/organizations.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import { listAuthority } from '../authority.ts';
import { declaredTuples, grantFor, grantTuples, tupleOf } from '../tuples.ts';
import { findServiceById, findServices, findServiceSeats, listServiceSeats } from './store.ts';
import type { Service, ServiceSeat } from './store.ts';

const serviceName = ({ organization_id, id }: Service) => `${organization_id}.${id}`;

/** Returns the context object of an organization's key. */
export const serviceObject = (service: Service) => `service:${serviceName(service)}` as const;

/** Returns the object of a key's seat in a team. */
export const serviceSeatObject = (seat: Pick<ServiceSeat, 'team_id' | 'key_id'>) =>
  `team_seat:${seat.team_id}.${seat.key_id}`;

/** Parses the id of a service's object, `<organization>.<key>`; null for any other text. */
function serviceOf(id: string): Service | null {
  const ids = memberOf(id);
  return ids && { organization_id: ids.organization_id, id: ids.account_id };
}

const scopeOf = (id: string): ScopeRef => ({ kind: 'service', id });

/** Finds the scopes of services; a scope remains after its key is revoked. */
export async function serviceScopes(
  connection: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ScopeRef>> {
  const services = ids.map(serviceOf).filter((seat) => seat !== null);
  const rows = services.length === 0 ? [] : await findServices(connection, services);
  return new Map(rows.map((row) => [serviceName(row), scopeOf(row.id)]));
}

export async function listServiceObjects(
  connection: Connection,
  { id }: ScopeRef,
): Promise<readonly string[]> {
  const row = await findServiceById(connection, id);
  return row === null ? [] : [serviceName(row)];
}

/** Projects an organization's live key to the tuples of its service. */
export async function projectService(
  connection: Connection,
  service: string,
  subject: string | null,
): Promise<Tuple[]> {
  const ids = serviceOf(service);
  if (ids === null || (subject ?? ids.id) !== ids.id) return [];
  const owner = { kind: 'organization', id: ids.organization_id } as const;
  const [key] = await listAuthority(connection, { owner, id: ids.id });
  if (key === undefined) return [];
  const tuple = tupleOf(`org_key:${ids.id}`, serviceObject(ids));
  return [
    ...declaredTuples(key, tuple),
    ...grantTuples(grantFor(key.grants, ids.organization_id), tuple),
    tuple('bearer'),
  ];
}

async function findSeat(connection: Connection, id: string): Promise<ServiceSeat | null> {
  const ids = seatOf(id);
  if (ids === null) return null;
  const seatKeys = { team_id: ids.team_id, key_id: ids.account_id };
  const [seat = null] = await findServiceSeats(connection, [seatKeys]);
  return seat;
}

/** Finds the scopes of the seats of organizations' keys. */
export async function serviceSeatScopes(
  connection: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ScopeRef>> {
  const seatKeys = ids
    .map(seatOf)
    .filter((seat) => seat !== null)
    .map(({ team_id, account_id: key_id }) => ({ team_id, key_id }));
  const rows = seatKeys.length === 0 ? [] : await findServiceSeats(connection, seatKeys);
  return new Map(rows.map((row) => [`${row.team_id}.${row.key_id}`, scopeOf(row.key_id)]));
}

export async function listServiceSeatObjects(
  connection: Connection,
  { id }: ScopeRef,
): Promise<readonly string[]> {
  const seats = await listServiceSeats(connection, [id]);
  return seats.map(({ team_id, key_id }) => `${team_id}.${key_id}`);
}

/** Returns the tuple that links a seat to the service of its key. */
export async function projectServiceHolder(
  connection: Connection,
  id: string,
  subject: string | null,
): Promise<Tuple[]> {
  const seat = await findSeat(connection, id);
  if (seat === null) return [];
  const user = serviceObject({ organization_id: seat.organization_id, id: seat.key_id });
  if (subject !== null && user !== `service:${subject}`) return [];
  return [{ user, relation: 'holder', object: `team_seat:${id}` }];
}

/** Returns the tuple that makes an organization's key active in a team. */
export async function projectServiceBound(
  connection: Connection,
  id: string,
  subject: string | null,
): Promise<Tuple[]> {
  const seat = await findSeat(connection, id);
  if (seat === null || (subject ?? seat.key_id) !== seat.key_id) return [];
  return [tupleOf(`org_key:${seat.key_id}`, `team_seat:${id}`)('bound')];
}
