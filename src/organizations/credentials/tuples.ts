import type { Projection, ProjectSlice, Tuple } from '../../authz/authz.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { findMemberships } from '../members/store.ts';
import { memberOf } from '../members/tuples.ts';
import { seatOf } from '../teams/seats/tuples.ts';
import { listAuthority } from './authority.ts';
import type { AuthorityRow } from './authority.ts';
import { listBoundCredentials } from './bindings/store.ts';
import { apiKeys, ofEachKind, oauthConnections } from './kinds.ts';
import type { CredentialTable, ServiceSeat } from './kinds.ts';
import { scopeOf, serviceName, serviceOf, serviceSeatName, serviceSeatOf } from './objects.ts';
import { carriedRelations, declaredRelations } from './relations.ts';
import { findServiceById, findServices, findServiceSeats, listServiceSeats } from './store.ts';

const createAccountProjection =
  (kind: CredentialTable): ProjectSlice =>
  async (connection, account_id, subject) => {
    const owner = { kind: 'account', id: account_id } as const;
    const rows = await listAuthority(connection, kind, { owner, id: subject });
    return rows.flatMap((row) => accountTuples(kind, row, account_id));
  };

/** Returns the tuples of a person's live credential on the account. */
export const accountTuples = (
  { personal }: CredentialTable,
  row: AuthorityRow,
  account_id: string,
): Tuple[] =>
  [
    ...(row.runs_in === null ? ['runs_here', ...declaredRelations(row)] : []),
    ...carriedRelations(row, null),
    'principal',
  ].map(tupleOf(`${personal}:${row.id}`, `account:${account_id}`));

/**
 * An ended membership keeps the tuples of credentials: without its `person` tuple they grant
 * nothing, and the credentials work again if the person joins again.
 */
const createMembershipProjection =
  (kind: CredentialTable): ProjectSlice =>
  async (connection, membership, subject) => {
    const member = memberOf(membership);
    if (member === null || (await findMemberships(connection, [member])).length === 0) return [];
    const owner = { kind: 'account', id: member.account_id } as const;
    const rows = await listAuthority(connection, kind, { owner, id: subject });
    return rows.flatMap((row) =>
      [
        ...(row.runs_in === member.organization_id ? runningRelations(row) : []),
        ...carriedRelations(row, member.organization_id),
      ].map(tupleOf(`${kind.personal}:${row.id}`, `membership:${membership}`)),
    );
  };

/** Returns the relations of a person's credential where it runs, in an organization. */
const runningRelations = (row: AuthorityRow): string[] => [
  ...['runs_here', ...declaredRelations(row)],
  ...(row.follows_teams ? ['follows_teams'] : []),
  ...(row.has_own_authority ? ['frozen'] : []),
];

const createSeatProjection =
  (kind: CredentialTable): ProjectSlice =>
  async (connection, seat, subject) => {
    const key = seatOf(seat);
    if (key === null) return [];
    const ids = await listBoundCredentials(connection, kind, { ...key, id: subject });
    return ids.map((one) => tupleOf(`${kind.personal}:${one}`, `team_seat:${seat}`)('bound'));
  };

const createServiceProjection =
  (kind: CredentialTable): ProjectSlice =>
  async (connection, name, subject) => {
    const service = serviceOf(name);
    if (service === null || (subject ?? service.id) !== service.id) return [];
    const { id, organization_id } = service;
    const owner = { kind: 'organization', id: organization_id } as const;
    const rows = await listAuthority(connection, kind, { owner, id });
    return rows.flatMap((row) =>
      [...declaredRelations(row), ...carriedRelations(row, organization_id), 'bearer'].map(
        tupleOf(`${kind.service}:${id}`, `service:${name}`),
      ),
    );
  };

const createServiceSeatProjection =
  (kind: CredentialTable): ProjectSlice =>
  async (connection, seat, subject) => {
    const [found] = await findSeats(connection, kind, [seat]);
    if (found === undefined || (subject ?? found.service_id) !== found.service_id) return [];
    return [tupleOf(`${kind.service}:${found.service_id}`, `team_seat:${seat}`)('bound')];
  };

/** Creates the projections of one kind of credentials; used by `projection.ts`. */
const createCredentialTuples = (kind: CredentialTable) => ({
  /** Projects the live credentials of a person, or one of them, to tuples on the account. */
  onAccount: createAccountProjection(kind),
  /** Projects them to tuples on a membership. */
  onMembership: createMembershipProjection(kind),
  /** Projects those that are bound to a team to tuples on the person's seat. */
  onSeat: createSeatProjection(kind),
  /** Projects a live service to the tuples on its context object. */
  onService: createServiceProjection(kind),
  /** Returns the tuple that makes a service active in a team. */
  onServiceSeat: createServiceSeatProjection(kind),
});

export const keyTuples = createCredentialTuples(apiKeys);
export const connectionTuples = createCredentialTuples(oauthConnections);

/** Returns the tuple that links a seat to its service. */
export const projectServiceHolder: ProjectSlice = async (connection, seat, subject) => {
  const found = await ofEachKind((kind) => findSeats(connection, kind, [seat]));
  return found
    .map(({ organization_id, service_id: id }) => serviceName({ organization_id, id }))
    .filter((name) => (subject ?? name) === name)
    .map((name) => tupleOf(`service:${name}`, `team_seat:${seat}`)('holder'));
};

/** Finds the scopes of services; a scope remains after its service is revoked. */
export const serviceScopes: Projection['scopesOf'] = async (connection, ids) => {
  const services = ids.map(serviceOf).filter((service) => service !== null);
  if (services.length === 0) return new Map();
  const rows = await ofEachKind((kind) => findServices(connection, kind, services));
  return new Map(rows.map((row) => [serviceName(row), scopeOf(row.id)]));
};

/** Finds the scopes of services' seats, which are those of their services. */
export const serviceSeatScopes: Projection['scopesOf'] = async (connection, ids) => {
  const rows = await ofEachKind((kind) => findSeats(connection, kind, ids));
  return new Map(rows.map((row) => [serviceSeatName(row), scopeOf(row.service_id)]));
};

/** Lists the service of a scope. */
export const listServiceObjects: Projection['list'] = async (connection, { id }) =>
  (await ofEachKind((kind) => findServiceById(connection, kind, id))).map(serviceName);

/** Lists the seats of a scope's service. */
export const listServiceSeatObjects: Projection['list'] = async (connection, { id }) =>
  (await ofEachKind((kind) => listServiceSeats(connection, kind, [id]))).map(serviceSeatName);

async function findSeats(
  db: Queryable,
  kind: CredentialTable,
  names: readonly string[],
): Promise<readonly ServiceSeat[]> {
  const seats = names.map(serviceSeatOf).filter((seat) => seat !== null);
  return seats.length === 0 ? [] : findServiceSeats(db, kind, seats);
}

/** Creates a function that returns the tuple of a subject's relation to an object. */
const tupleOf =
  (user: string, object: string) =>
  (relation: string): Tuple => ({ user, relation, object });
