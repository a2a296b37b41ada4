import { actorOf } from '../../caller/actor.ts';
import type { PersonalPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { spaceOf } from '../items/items.ts';
import type { SpaceFileDependencies } from './dependencies.ts';
import { createSpaceExport } from './export.ts';
import { createSpaceImport } from './import.ts';
import type { Wanted } from './import.ts';

export type SpaceFiles = ReturnType<typeof createSpaceFiles>;

/**
 * A personal space as a file that means the same in another account: what its agents are given, by
 * names instead of ids, without secrets. What is kept of the person is the account's own export.
 */
export function createSpaceFiles(dependencies: SpaceFileDependencies) {
  const { audit, database } = dependencies;
  const exportSpace = createSpaceExport(dependencies);
  const importSpace = createSpaceImport(dependencies);

  return {
    async export(caller: PersonalPrincipal, cursor: string | null, request: RequestFacts) {
      const { person: id } = caller;
      await audit.record(database.pool, {
        actor: actorOf(caller, request),
        action: 'space.export',
        scope: { kind: 'account', id },
        units: [{ type: 'account', id }],
      });
      return exportSpace(id, cursor);
    },

    import: (caller: PersonalPrincipal, wanted: Wanted, request: RequestFacts) =>
      importSpace(spaceOf(caller), wanted, actorOf(caller, request)),
  };
}
