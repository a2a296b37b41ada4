import type { ScopeRef } from '../../caller/scope.ts';
import type { ServiceRows, ServicesChange } from '../dependencies.ts';

/**
 * Returns whether a change that writes these scopes covers all keys that it affects now: keys may
 * have been created, bound or revoked since the change was decided.
 */
export const isCovered = (affected: readonly ScopeRef[], written: readonly ScopeRef[]): boolean =>
  new Set(affected.map(({ id }) => id)).isSubsetOf(new Set(written.map(({ id }) => id)));

/** Joins the rows of several kinds of credentials into one. */
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
