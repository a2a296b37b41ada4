import type { Tuple } from '../../authz/authz.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import type { ServiceKind, ServiceSeat } from './kind.ts';
import {
  scopeOf,
  serviceName,
  serviceObject,
  serviceOf,
  serviceSeatName,
  serviceSeatOf,
} from './objects.ts';

/** Projects one kind of services to tuples; used by `projection.ts`. */
export interface ServiceTuples {
  /** Finds the scopes of services; a scope remains after its service is revoked. */
  scopesOf: FindScopes;
  /** Finds the scopes of seats, which are those of their services. */
  seatScopesOf: FindScopes;
  /** Lists the service of a scope. */
  list: ListObjects;
  /** Lists the seats of a scope's service. */
  listSeats: ListObjects;
  /** Projects a live service to the tuples on its context object. */
  project: Project;
  /** Returns the tuple that links a seat to its service. */
  projectHolder: Project;
  /** Returns the tuple that makes a service active in a team. */
  projectBound: Project;
}

type FindScopes = (
  connection: Connection,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, ScopeRef>>;
type ListObjects = (connection: Connection, scope: ScopeRef) => Promise<readonly string[]>;
type Project = (connection: Connection, id: string, subject: string | null) => Promise<Tuple[]>;

export function createServiceTuples({ subject, store, relationsOf }: ServiceKind): ServiceTuples {
  async function findSeats(
    connection: Connection,
    ids: readonly string[],
  ): Promise<readonly ServiceSeat[]> {
    const seats = ids.map(serviceSeatOf).filter((seat) => seat !== null);
    return seats.length === 0 ? [] : store.findSeats(connection, seats);
  }

  return {
    async scopesOf(connection, ids) {
      const services = ids.map(serviceOf).filter((service) => service !== null);
      const rows = services.length === 0 ? [] : await store.findServices(connection, services);
      return new Map(rows.map((row) => [serviceName(row), scopeOf(row.id)]));
    },
    async seatScopesOf(connection, ids) {
      const rows = await findSeats(connection, ids);
      return new Map(rows.map((row) => [serviceSeatName(row), scopeOf(row.service_id)]));
    },
    async list(connection, { id }) {
      const row = await store.findServiceById(connection, id);
      return row === null ? [] : [serviceName(row)];
    },
    listSeats: async (connection, { id }) =>
      (await store.listSeats(connection, [id])).map(serviceSeatName),
    async project(connection, id, only) {
      const service = serviceOf(id);
      if (service === null || (only ?? service.id) !== service.id) return [];
      const relations = await relationsOf(connection, service);
      if (relations === null) return [];
      const [user, object] = [`${subject}:${service.id}`, serviceObject(service)];
      return [...relations, 'bearer'].map((relation) => ({ user, relation, object }));
    },
    async projectHolder(connection, id, only) {
      const [seat] = await findSeats(connection, [id]);
      if (seat === undefined) return [];
      const name = serviceName({ organization_id: seat.organization_id, id: seat.service_id });
      if ((only ?? name) !== name) return [];
      return [{ user: `service:${name}`, relation: 'holder', object: `team_seat:${id}` }];
    },
    async projectBound(connection, id, only) {
      const [seat] = await findSeats(connection, [id]);
      if (seat === undefined || (only ?? seat.service_id) !== seat.service_id) return [];
      const user = `${subject}:${seat.service_id}`;
      return [{ user, relation: 'bound', object: `team_seat:${id}` }];
    },
  };
}
