import type { Connection, Transaction } from '../../platform/postgres/database.ts';

/** Identifies a credential that belongs to an organization. */
export interface Service {
  id: string;
  organization_id: string;
}

/** The seat of a live service in a team. */
export interface ServiceSeat {
  organization_id: string;
  team_id: string;
  service_id: string;
}

/** Rows of one kind of services. A service is live until it is revoked. */
export interface ServiceStore {
  /** Returns the given services that exist, including revoked ones. */
  findServices(connection: Connection, services: readonly Service[]): Promise<readonly Service[]>;
  /** Returns a service by id, revoked or not. */
  findServiceById(connection: Connection, id: string): Promise<Service | null>;
  /** Returns the ids of up to `limit` services of an organization, including revoked ones. */
  listServices(
    connection: Connection,
    organization_id: string,
    limit: number,
  ): Promise<readonly string[]>;
  /** Returns the ids of the live services of an organization that follow all its teams. */
  listFollowers(connection: Connection, organization_id: string): Promise<readonly string[]>;
  /** Returns the seats of these services: in the teams they are bound to, or in all teams. */
  listSeats(connection: Connection, ids: readonly string[]): Promise<readonly ServiceSeat[]>;
  /** Returns the ids of the services that have a seat in a team. */
  listServicesIn(connection: Connection, team_id: string): Promise<readonly string[]>;
  /** Returns the given seats that exist. */
  findSeats(
    connection: Connection,
    seats: readonly Pick<ServiceSeat, 'team_id' | 'service_id'>[],
  ): Promise<readonly ServiceSeat[]>;
  /** Deletes services of a deleted organization. */
  remove(transaction: Transaction, organization_id: string, ids: readonly string[]): Promise<void>;
  /** Ends the bindings of these people's credentials of the same table to a team. */
  removeBindings(
    transaction: Transaction,
    team_id: string,
    account_ids: readonly string[],
  ): Promise<void>;
}

/** A kind of credentials that belong to organizations and act for no person. */
export interface ServiceKind {
  /** The type of its subjects in OpenFGA, and of its targets in the audit log. */
  subject: 'org_key' | 'machine';
  store: ServiceStore;
  /** Returns the relations of a service to its context object; null unless the service is live. */
  relationsOf(connection: Connection, service: Service): Promise<readonly string[] | null>;
}
