import { createChanges } from './changes.ts';
import type { ChangesDependencies } from './changes.ts';
import { createImportServer } from './import.ts';
import type { ImportServerDependencies } from './import.ts';

export type Followed = ReturnType<typeof createFollowed>;

/** Adds all that an upstream offers in one act, and approves what is new or changed there later. */
export const createFollowed = (dependencies: ImportServerDependencies & ChangesDependencies) => ({
  import: createImportServer(dependencies),
  changes: createChanges(dependencies),
});
