import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Change } from '../../authz/authz.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import { listTeamIds } from '../teams/store.ts';
import type { Service, ServiceKind } from './kind.ts';
import { scopeOf, serviceObject, slicesIn } from './objects.ts';

/** The common fields of a change of a service. */
export interface ServiceChange extends Pick<Change<unknown>, 'objects' | 'targets' | 'writes'> {
  /** The scope that a new service creates. */
  creates: NonNullable<Change<unknown>['creates']>;
  /** Throws `ConcurrentUpdate` if the service now has tuples that the change does not cover. */
  requireCovered(connection: Connection): Promise<void>;
}

/** Creates the function that returns the common fields of a change of a service. */
export const createServiceChange =
  ({ subject, store }: Pick<ServiceKind, 'subject' | 'store'>) =>
  async (
    connection: Connection,
    service: Service,
    /** The teams that it is to be bound to; null if it is to follow all teams. */
    team_ids: readonly string[] | null,
  ): Promise<ServiceChange> => {
    const { id, organization_id } = service;
    const seats = await store.listSeats(connection, [id]);
    const bound = team_ids ?? (await listTeamIds(connection, organization_id));
    const teams = new Set([...seats.map(({ team_id }) => team_id), ...bound]);
    return {
      writes: [scopeOf(id)],
      creates: [{ ...scopeOf(id), organization_id }],
      objects: [
        { object: serviceObject(service) },
        ...[...teams].flatMap((team_id) => slicesIn(subject, service, team_id)),
      ],
      targets: [{ type: subject, id }],
      async requireCovered(transaction) {
        const current = await store.listSeats(transaction, [id]);
        if (!current.every(({ team_id }) => teams.has(team_id))) throw new ConcurrentUpdate();
      },
    };
  };
