import type { Engine } from './authz/engine/client.ts';
import type { Authz } from './authz/authz.ts';
import type { Limits } from './limits/limits.ts';
import type { Tracing } from './platform/observability/tracing.ts';
import type { Visibility } from './visibility/visibility.ts';

/** Traces checks sent to OpenFGA; sets `toolgate.cache_miss` on the decision's span. */
export function traceEngine(engine: Engine, tracing: Tracing): Engine {
  const batchCheck = tracing.wrap('check OpenFGA', engine.batchCheck, (results) => ({
    'toolgate.check_count': results.length,
  }));
  return {
    ...engine,
    batchCheck(checks) {
      tracing.describe({ 'toolgate.cache_miss': true });
      return batchCheck(checks);
    },
  };
}

/** Traces decisions about a caller; those without `toolgate.cache_miss` came from the cache. */
export const traceAuthz = (authz: Authz, { wrap }: Tracing): Authz => ({
  ...authz,
  check: wrap('authorize', authz.check),
  checkEach: wrap('authorize', authz.checkEach),
});

/** Traces views in the same way; a view may contain other decisions. */
export const traceVisibility = (visibility: Visibility, { wrap }: Tracing): Visibility => ({
  ...visibility,
  view: wrap('authorize', visibility.view),
  agentView: wrap('authorize', visibility.agentView),
});

export const traceLimits = (limits: Limits, { wrap }: Tracing): Limits => ({
  ...limits,
  admit: wrap('admit', limits.admit, ({ admitted }) => ({ 'toolgate.admitted': admitted })),
});
