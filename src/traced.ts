import type { Engine } from './authz/client.ts';
import type { Authz } from './authz/authz.ts';
import type { Limits } from './limits/limits.ts';
import type { Tracing } from './platform/observability/tracing.ts';

/** Traces checks sent to OpenFGA; `toolgate.asked` marks the span of a decision as not cached. */
export function traceEngine(engine: Engine, tracing: Tracing): Engine {
  const ask = tracing.wrap('check OpenFGA', engine.batchCheck, (answers) => ({
    'toolgate.questions': answers.length,
  }));
  return {
    ...engine,
    batchCheck(questions) {
      tracing.describe({ 'toolgate.asked': true });
      return ask(questions);
    },
  };
}

/** Traces decisions about a caller; those without `toolgate.asked` came from the cache. */
export const traceAuthz = (authz: Authz, { wrap }: Tracing): Authz => ({
  ...authz,
  check: wrap('authorize', authz.check),
  checkEach: wrap('authorize', authz.checkEach),
  context: wrap('authorize', authz.context),
});

export const traceLimits = (limits: Limits, { wrap }: Tracing): Limits => ({
  ...limits,
  admit: wrap('admit', limits.admit, ({ admitted }) => ({ 'toolgate.admitted': admitted })),
});
