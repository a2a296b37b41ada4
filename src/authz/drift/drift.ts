import type { ScopeRef } from '../../caller/scope.ts';
import { scopeName } from '../../caller/scope.ts';
import { findOrphans } from './orphans.ts';
import { compareScopes } from './scope-drift.ts';
import type { Drift, DriftDependencies, DriftOptions } from './scope-drift.ts';

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
  yield* compareScopes(dependencies, { ...options, changed });
  yield* findOrphans(dependencies, options);
}
