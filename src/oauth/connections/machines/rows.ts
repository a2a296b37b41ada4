import type { Slice } from '../../../authz/authz.ts';
import type { ScopeRef } from '../../../caller/scope.ts';
import type { Connection } from '../../../platform/postgres/database.ts';
import { deleteMachines, removeBindings } from '../store.ts';
import { listFollowers, listMachines, listMachineSeats, listMachinesIn } from './store.ts';
import type { Machine } from './store.ts';
import { machineObject, machineSeatObject } from './tuples.ts';

/** A part of a change: the scopes of machine connections, and their tuples. */
interface MachinesChange {
  writes: readonly ScopeRef[];
  objects: readonly Slice[];
}

interface Team {
  organization_id: string;
  id: string;
}

const scopeOf = (id: string): ScopeRef => ({ kind: 'service', id });

/** Returns the slices that make a machine connection active in a team. */
export function machineSlicesOf(machine: Machine, team_id: string): Slice[] {
  const object = machineSeatObject({ team_id, connection_id: machine.id });
  return [
    { object, subject: `machine:${machine.id}` },
    { object, subject: machineObject(machine) },
  ];
}

const changeInTeam = (
  { organization_id, id: team_id }: Team,
  ids: readonly string[],
): MachinesChange => ({
  writes: ids.map(scopeOf),
  objects: ids.flatMap((id) => machineSlicesOf({ organization_id, id }, team_id)),
});

/** Changes of connections that follow from changes of organizations and teams. */
export const connectionRows = {
  /** Ends the bindings of people's connections to a team. */
  removeBindings,
  /** Returns what creating this team changes for machine connections that follow all teams. */
  changeForNewTeam: async (connection: Connection, team: Team): Promise<MachinesChange> =>
    changeInTeam(team, await listFollowers(connection, team.organization_id)),
  /** Returns what deleting this team changes for machine connections that have a seat in it. */
  changeForDeletedTeam: async (connection: Connection, team: Team): Promise<MachinesChange> =>
    changeInTeam(team, await listMachinesIn(connection, team.id)),
  /** Returns up to `limit` machine connections of an organization, with the change that deletes them. */
  async listBatch(
    connection: Connection,
    organization_id: string,
    limit: number,
  ): Promise<MachinesChange & { ids: readonly string[] }> {
    const ids = await listMachines(connection, organization_id, limit);
    const seats = await listMachineSeats(connection, ids);
    const objects = [
      ...ids.map((id) => machineObject({ organization_id, id })),
      ...seats.map(machineSeatObject),
    ];
    return { ids, writes: ids.map(scopeOf), objects: objects.map((object) => ({ object })) };
  },
  remove: deleteMachines,
};
