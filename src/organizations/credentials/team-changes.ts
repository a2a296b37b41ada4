import type { Slice } from '../../authz/authz.ts';
import type { ScopeRef } from '../../caller/scope.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { TeamKey } from '../teams/store.ts';
import { ofEachKind } from './kinds.ts';
import type { CredentialTable } from './kinds.ts';
import { scopeOf, serviceObject, serviceSeatObject, serviceSlicesIn } from './objects.ts';
import { listFollowers, listServices, listServiceSeats, listServicesIn } from './store.ts';

/** A part of a change: the scopes of an organization's services, and their tuples. */
interface ServicesChange {
  writes: readonly ScopeRef[];
  objects: readonly Slice[];
}

/** Returns what creating this team changes for the services that follow all teams. */
export const changeForNewTeam = (db: Queryable, team: TeamKey) =>
  changeIn(team, (kind) => listFollowers(db, kind, team.organization_id));

/** Returns what deleting this team changes for the services in it. */
export const changeForDeletedTeam = (db: Queryable, team: TeamKey) =>
  changeIn(team, (kind) => listServicesIn(db, kind, team.id));

/** Returns the change of the seats in a team of the services that are found. */
async function changeIn(
  { id: team_id, organization_id }: TeamKey,
  findIds: (kind: CredentialTable) => Promise<readonly string[]>,
): Promise<ServicesChange> {
  const services = await ofEachKind(async (kind) =>
    (await findIds(kind)).map((id) => ({ kind, id })),
  );
  return {
    writes: services.map(({ id }) => scopeOf(id)),
    objects: services.flatMap(({ kind, id }) =>
      serviceSlicesIn(kind, { organization_id, id }, team_id),
    ),
  };
}

/**
 * Returns whether a change that writes these scopes covers all services that it affects now: they
 * may have been created, bound or revoked since the change was decided.
 */
export const isCovered = (affected: readonly ScopeRef[], written: readonly ScopeRef[]): boolean =>
  new Set(affected.map(({ id }) => id)).isSubsetOf(new Set(written.map(({ id }) => id)));

/** Returns up to `limit` services of an organization, with the change that deletes them. */
export async function listServiceBatch(
  db: Queryable,
  organization_id: string,
  limit: number,
): Promise<ServicesChange & { ids: readonly string[] }> {
  const found = await ofEachKind((kind) => listServices(db, kind, { organization_id, limit }));
  const ids = found.slice(0, limit);
  const seats = await ofEachKind((kind) => listServiceSeats(db, kind, ids));
  const objects = [
    ...ids.map((id) => serviceObject({ organization_id, id })),
    ...seats.map(serviceSeatObject),
  ];
  return { ids, writes: ids.map(scopeOf), objects: objects.map((object) => ({ object })) };
}
