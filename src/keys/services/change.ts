import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Slice } from '../../authz/authz.ts';
import type { Connection } from '../../platform/postgres/database.ts';
import type { KeyChange } from '../key-change.ts';
import { listServiceSeats, listTeamIds } from './store.ts';
import type { Service } from './store.ts';
import { serviceObject, serviceSeatObject } from './tuples.ts';

/**
 * Returns the common fields of a change of an organization's key: its scope and its tuples.
 * `team_ids` are the teams that it is to be bound to; null if it is to follow all teams.
 */
export async function serviceChangeOf(
  connection: Connection,
  service: Service,
  team_ids: readonly string[] | null | undefined,
): Promise<KeyChange> {
  const scope = { kind: 'service', id: service.id } as const;
  const stored = (await listServiceSeats(connection, [service.id])).map((seat) => seat.team_id);
  const bound =
    team_ids === null ? await listTeamIds(connection, service.organization_id) : team_ids;
  const teams = new Set([...stored, ...(bound ?? [])]);
  return {
    writes: [scope],
    writesAtCreation: [scope],
    creates: [{ ...scope, organization_id: service.organization_id }],
    objects: [
      { object: serviceObject(service) },
      ...[...teams].flatMap((team_id) => serviceSlicesOf(service, team_id)),
    ],
    targets: [{ type: 'org_key', id: service.id }],
    async requireCovered(transaction) {
      const seats = await listServiceSeats(transaction, [service.id]);
      if (!seats.every(({ team_id }) => teams.has(team_id))) throw new ConcurrentUpdate();
    },
  };
}

/** Returns the slices that make an organization's key active in a team. */
export function serviceSlicesOf(service: Service, team_id: string): Slice[] {
  const object = serviceSeatObject({ team_id, key_id: service.id });
  return [
    { object, subject: `org_key:${service.id}` },
    { object, subject: serviceObject(service) },
  ];
}
