import type { Authority } from '../../caller/actor.ts';
import type { Progress } from '../../caller/progress.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { throwIfProblems } from '../../platform/errors/refusal.ts';
import { scopeOf } from '../spaces/space.ts';
import type { Space } from '../spaces/space.ts';
import type { SpaceFileDependencies } from './dependencies.ts';
import { createDrafts } from './drafts.ts';
import { findDestinations, MAX_IMPORT_PROBLEMS } from './destinations.ts';
import { createSave } from './save.ts';
import type { ConflictRule, SpaceFile, SpaceImported, SpaceList } from './schema.ts';
import { stepsOf } from './steps.ts';
import type { Step } from './steps.ts';
import { listStoredNames } from './store.ts';
import type { StoredName } from './store.ts';

export interface ImportRequest {
  file: SpaceFile;
  on_conflict: ConflictRule;
}

/** Imports a space file atomically. An import adds and replaces items, but deletes none. */
export function createSpaceImport(dependencies: SpaceFileDependencies) {
  const { database, authz, items } = dependencies;
  const draftAll = createDrafts(dependencies);
  const save = createSave(dependencies);
  const isReserved = (list: SpaceList, name: string) =>
    list !== 'upstreams' && items[list].kind.isReserved?.(name) === true;

  /** Throws 409 before 422. */
  async function prepare(
    space: Space,
    { file, on_conflict }: ImportRequest,
    stored: readonly StoredName[],
    step: Step,
  ) {
    const destinations = findDestinations(file, { stored, rule: on_conflict, isReserved });
    const { drafted, problems } = await draftAll(database.pool, space, {
      file,
      destinations,
      stored,
      step,
    });
    throwIfProblems(problems, MAX_IMPORT_PROBLEMS);
    return { file, destinations, drafted };
  }

  return async function importSpace(
    space: Space,
    request: ImportRequest,
    authority: Authority,
    progress: Progress,
  ): Promise<SpaceImported> {
    const { id: space_id } = space;
    const scope = scopeOf(space);
    const before = await listStoredNames(database.pool, space_id);
    const planned = await prepare(
      space,
      request,
      before,
      stepsOf(request.file, 'checked', progress),
    );
    return authz.editContent({
      ...authority,
      reason: 'space.import',
      writes: [scope],
      targets: [{ type: scope.kind, id: scope.id }],
      detail: ({ created, replaced, skipped }) => ({
        created: sum(created),
        replaced: sum(replaced),
        skipped: sum(skipped),
      }),
      async work(transaction: Transaction) {
        const stored = await listStoredNames(transaction, space_id);
        const isUnchanged = JSON.stringify(stored) === JSON.stringify(before);
        const plan = isUnchanged
          ? planned
          : await prepare(space, request, stored, stepsOf(request.file, 'checked', progress));
        const step = stepsOf(request.file, 'saved', progress);
        const imported = await save(transaction, space_id, plan, { actor: authority.actor, step });
        progress.endWith(imported);
        return imported;
      },
    });
  };
}

const sum = (counts: Record<SpaceList, number>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);
