import type { ScopeRef } from '../../caller/scope.ts';
import { scopeName } from '../../caller/scope.ts';
import { findOrphans } from './orphans.ts';
import { compareScopes } from './scope-drift.ts';
import type { Drift, DriftDependencies, DriftOptions } from './scope-drift.ts';
import { readTime, saveRepair } from '../foreign-writes/store.ts';

export type { Drift, DriftDependencies };

/** Compares every scope with its rows, then finds orphaned tuples; with `repair`, repairs both. */
export async function* findDrift(
  dependencies: DriftDependencies,
  options: DriftOptions,
): AsyncGenerator<Drift> {
  const changed = (scope: ScopeRef) =>
    dependencies.log.warn(
      { scope: scopeName(scope) },
      'skipped: the scope kept changing during the comparison',
    );
  const { pool } = dependencies.database;
  const began_at = await readTime(pool);
  let isRepaired = options.repair;
  let isRestored = false;
  const note = (drift: Drift) => {
    if (!drift.repaired && drift.unregistered === undefined) isRepaired = false;
    isRestored ||= drift.is_restored === true;
    return drift;
  };
  for await (const drift of compareScopes(dependencies, { ...options, changed })) yield note(drift);
  for await (const drift of findOrphans(dependencies, options)) yield note(drift);
  if (isRepaired) await saveRepair(pool, { began_at, isRestored });
}
