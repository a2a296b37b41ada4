import { actorOf, authorityOf } from '../../caller/actor.ts';
import type { SessionPrincipal } from '../../caller/principal.ts';
import type { Progress } from '../../caller/progress.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { personalSpaceOf, scopeOf } from '../spaces/space.ts';
import type { SpaceFileDependencies } from './dependencies.ts';
import { createSpaceExport } from './export.ts';
import { createSpaceImport } from './import.ts';
import type { ImportRequest } from './import.ts';

export type SpaceFiles = ReturnType<typeof createSpaceFiles>;

/**
 * Exports and imports a personal space as a portable file, with names instead of ids and without
 * secrets. Personal data is in the account's own export.
 */
export function createSpaceFiles(dependencies: SpaceFileDependencies) {
  const { audit, database } = dependencies;
  const exportSpace = createSpaceExport(dependencies);
  const importSpace = createSpaceImport(dependencies);

  return {
    async export(caller: SessionPrincipal, cursor: string | null, request: RequestFacts) {
      const space = personalSpaceOf(caller);
      const scope = scopeOf(space);
      await audit.record(database.pool, {
        actor: actorOf(caller, request),
        action: 'space.export',
        scope,
        units: [{ type: scope.kind, id: scope.id }],
      });
      return exportSpace(space.id, cursor);
    },

    import: (
      caller: SessionPrincipal,
      input: ImportRequest,
      request: RequestFacts,
      progress: Progress,
    ) => importSpace(personalSpaceOf(caller), input, authorityOf(caller, request), progress),
  };
}
