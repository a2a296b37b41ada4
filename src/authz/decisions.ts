import type { Principal } from '../caller/principal.ts';
import { createDecisionCache } from './cache.ts';
import type { Engine } from './client.ts';

/** Answers about a caller's own seat, from the cache or one BatchCheck. */
export interface Decisions {
  /** Holds the relations asked for, perhaps others known under the same stamps. */
  answer(caller: Principal, relations: readonly string[]): Promise<ReadonlyMap<string, boolean>>;
  /** The store that answered was not the right one: stamps do not tell. */
  forget(): void;
}

/**
 * `cached: false` (AUTHZ_CACHE=off) asks OpenFGA every time. The lane's stamps are part of the
 * key, and were read before the question is asked (authorization.md 6.3, invariant 4).
 */
export function createDecisions(engine: Engine, cached: boolean): Decisions {
  const cache = createDecisionCache();
  const asking = new Map<string, Promise<boolean>>();

  function askOnce(caller: Principal, key: string, relations: string[]): Promise<boolean>[] {
    const mine = relations.filter((relation) => !asking.has(`${key}|${relation}`));
    const batch = mine.length > 0 ? engine.ask(mine.map((one) => question(caller, one))) : null;
    const known = cache.knownUnder(key);
    for (const [index, relation] of mine.entries()) {
      const answer = batch!.then((answers) => {
        known.set(relation, answers[index]!);
        return answers[index]!;
      });
      asking.set(`${key}|${relation}`, answer);
      answer.catch(() => {}).finally(() => void asking.delete(`${key}|${relation}`));
    }
    return relations.map((relation) => asking.get(`${key}|${relation}`)!);
  }

  async function answerCached(caller: Principal, relations: readonly string[]) {
    const key = keyOf(engine.modelId, caller);
    const known = cache.knownUnder(key);
    const misses = relations.filter((relation) => !known.has(relation));
    if (misses.length === 0) return known;
    const answers = new Map(known);
    const fresh = await Promise.all(askOnce(caller, key, misses));
    for (const [index, relation] of misses.entries()) answers.set(relation, fresh[index]!);
    return answers;
  }

  async function answerFresh(caller: Principal, relations: readonly string[]) {
    const fresh = await engine.ask(relations.map((relation) => question(caller, relation)));
    return new Map(relations.map((relation, index) => [relation, fresh[index]!]));
  }

  return {
    answer: cached ? answerCached : answerFresh,
    forget() {
      cache.forget();
      // Those under way keep the answer they asked for; nobody else joins them.
      asking.clear();
    },
  };
}

const question = (caller: Principal, relation: string) => ({
  subject: caller.subject,
  relation,
  object: caller.context,
});

function keyOf(modelId: string, caller: Principal): string {
  let key = `${modelId}|${caller.subject}|${caller.context}`;
  for (const scope of caller.scopes) key += `|${scope.stamp}`;
  return key;
}
