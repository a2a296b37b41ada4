import type { Slice } from '../../authz/authz.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import { removeBindings } from '../bindings/store.ts';
import { deleteKeys } from '../store.ts';
import { serviceSlicesOf } from './change.ts';
import { listFollowers, listServiceSeats, listServicesIn, listServices } from './store.ts';
import { serviceObject, serviceSeatObject } from './tuples.ts';

/** A part of a change: the scopes of keys, and their tuples. */
interface ServicesChange {
  writes: readonly ScopeRef[];
  objects: readonly Slice[];
}

interface Team {
  organization_id: string;
  id: string;
}

const scopeOf = (id: string): ScopeRef => ({ kind: 'service', id });

const changeInTeam = (
  { organization_id, id: team_id }: Team,
  keyIds: readonly string[],
): ServicesChange => ({
  writes: keyIds.map(scopeOf),
  objects: keyIds.flatMap((id) => serviceSlicesOf({ organization_id, id }, team_id)),
});

/** Changes of organizations' keys that follow from changes of organizations and teams. */
export const serviceRows = {
  /** Ends the bindings of people's keys to a team. */
  removeBindings,
  /** Returns what creating this team changes for keys that follow all teams. */
  changeForNewTeam: async (connection: Connection, team: Team): Promise<ServicesChange> =>
    changeInTeam(team, await listFollowers(connection, team.organization_id)),
  /** Returns what deleting this team changes for keys that have a seat in it. */
  changeForDeletedTeam: async (connection: Connection, team: Team): Promise<ServicesChange> =>
    changeInTeam(team, await listServicesIn(connection, team.id)),
  /** Returns up to `limit` keys of an organization, with the change that deletes them. */
  async listBatch(
    connection: Connection,
    organization_id: string,
    limit: number,
  ): Promise<ServicesChange & { ids: readonly string[] }> {
    const ids = await listServices(connection, organization_id, limit);
    const seats = await listServiceSeats(connection, ids);
    const objects = [
      ...ids.map((id) => serviceObject({ organization_id, id })),
      ...seats.map(serviceSeatObject),
    ];
    return { ids, writes: ids.map(scopeOf), objects: objects.map((object) => ({ object })) };
  },
  remove: deleteKeys,
};
