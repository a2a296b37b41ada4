import type { Engine } from './authz/client.ts';
import type { Authz } from './authz/authz.ts';
import type { Limits } from './limits/limits.ts';
import type { Tracing } from './platform/observability/tracing.ts';

/** Traces checks sent to OpenFGA; `toolgate.asked` marks the decision's span as not cached. */
export function tracedEngine(engine: Engine, tracing: Tracing): Engine {
  const ask = tracing.around('check OpenFGA', engine.ask, (answers) => ({
    'toolgate.questions': answers.length,
  }));
  return {
    ...engine,
    ask(questions) {
      tracing.describe({ 'toolgate.asked': true });
      return ask(questions);
    },
  };
}

/** Traces decisions about a caller; without `toolgate.asked` they came from the cache. */
export const tracedAuthz = (authz: Authz, { around }: Tracing): Authz => ({
  ...authz,
  check: around('authorize', authz.check),
  checkEach: around('authorize', authz.checkEach),
  context: around('authorize', authz.context),
});

export const tracedLimits = (limits: Limits, { around }: Tracing): Limits => ({
  ...limits,
  admit: around('admit', limits.admit, ({ admitted }) => ({ 'toolgate.admitted': admitted })),
});
