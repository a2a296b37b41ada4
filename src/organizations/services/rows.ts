import type { ScopeRef } from '../../caller/scope.ts';
import type { ServiceRows, ServicesChange } from '../dependencies.ts';
import type { TeamKey } from '../teams/store.ts';
import type { ServiceKind } from './kind.ts';
import { scopeOf, serviceObject, serviceSeatObject, slicesIn } from './objects.ts';

/** Creates the changes of services that follow from changes of organizations and teams. */
export function createServiceRows({
  subject,
  store,
}: Pick<ServiceKind, 'subject' | 'store'>): ServiceRows {
  const changeIn = (team: TeamKey, ids: readonly string[]): ServicesChange => ({
    writes: ids.map(scopeOf),
    objects: ids.flatMap((id) =>
      slicesIn(subject, { organization_id: team.organization_id, id }, team.id),
    ),
  });
  return {
    removeBindings: store.removeBindings,
    changeForNewTeam: async (connection, team) =>
      changeIn(team, await store.listFollowers(connection, team.organization_id)),
    changeForDeletedTeam: async (connection, team) =>
      changeIn(team, await store.listServicesIn(connection, team.id)),
    async listBatch(connection, organization_id, limit) {
      const ids = await store.listServices(connection, organization_id, limit);
      const seats = await store.listSeats(connection, ids);
      const objects = [
        ...ids.map((id) => serviceObject({ organization_id, id })),
        ...seats.map(serviceSeatObject),
      ];
      return { ids, writes: ids.map(scopeOf), objects: objects.map((object) => ({ object })) };
    },
    remove: store.remove,
  };
}

/**
 * Returns whether a change that writes these scopes covers all services that it affects now: they
 * may have been created, bound or revoked since the change was decided.
 */
export const isCovered = (affected: readonly ScopeRef[], written: readonly ScopeRef[]): boolean =>
  new Set(affected.map(({ id }) => id)).isSubsetOf(new Set(written.map(({ id }) => id)));

/** Joins the rows of several kinds of services into one. */
export function joinServices(parts: readonly ServiceRows[]): ServiceRows {
  const joined = (changes: readonly ServicesChange[]): ServicesChange => ({
    writes: changes.flatMap(({ writes }) => writes),
    objects: changes.flatMap(({ objects }) => objects),
  });
  return {
    async removeBindings(...sent) {
      for (const part of parts) await part.removeBindings(...sent);
    },
    async changeForNewTeam(connection, team) {
      const changes = [];
      for (const part of parts) changes.push(await part.changeForNewTeam(connection, team));
      return joined(changes);
    },
    async changeForDeletedTeam(connection, team) {
      const changes = [];
      for (const part of parts) changes.push(await part.changeForDeletedTeam(connection, team));
      return joined(changes);
    },
    async listBatch(connection, organization_id, limit) {
      for (const part of parts) {
        const batch = await part.listBatch(connection, organization_id, limit);
        if (batch.ids.length > 0) return batch;
      }
      return { ids: [], writes: [], objects: [] };
    },
    async remove(...sent) {
      for (const part of parts) await part.remove(...sent);
    },
  };
}
