import type { Slice } from '../../authz/authz.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import { parsePair } from '../../platform/ids.ts';
import type { CredentialTable, Service, ServiceSeat } from './kinds.ts';

type SeatKey = Pick<ServiceSeat, 'team_id' | 'service_id'>;

export const serviceName = ({ organization_id, id }: Service) => `${organization_id}.${id}`;

/** Returns the context object of a service. */
export const serviceObject = (service: Service) => `service:${serviceName(service)}` as const;

export const serviceSeatName = ({ team_id, service_id }: SeatKey) => `${team_id}.${service_id}`;

/** Returns the object of a service's seat in a team. */
export const serviceSeatObject = (seat: SeatKey) => `team_seat:${serviceSeatName(seat)}`;

/** Parses the id of a service's object, `<organization>.<service>`; null for any other text. */
export function serviceOf(id: string): Service | null {
  const ids = parsePair(id);
  return ids && { organization_id: ids[0], id: ids[1] };
}

/** Parses the id of the object of a service's seat, `<team>.<service>`; null for any other text. */
export function serviceSeatOf(id: string): SeatKey | null {
  const ids = parsePair(id);
  return ids && { team_id: ids[0], service_id: ids[1] };
}

/** Returns the scope of a service; it remains after the service is revoked. */
export const scopeOf = (id: string) => ({ kind: 'service', id }) as const satisfies ScopeRef;

/** Returns the slices that make a service active in a team. */
export function serviceSlicesIn(
  { service: type }: CredentialTable,
  service: Service,
  team_id: string,
): Slice[] {
  const object = serviceSeatObject({ team_id, service_id: service.id });
  return [
    { object, subject: `${type}:${service.id}` },
    { object, subject: serviceObject(service) },
  ];
}
