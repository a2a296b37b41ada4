import type { Caller } from '../caller/caller.ts';
import { createDecisionCache } from './cache.ts';
import type { Engine } from './client.ts';

/** Answers about a caller's own seat, from the cache or one BatchCheck. */
export interface Decisions {
  answer(caller: Caller, relations: readonly string[]): Promise<ReadonlyMap<string, boolean>>;
}

/**
 * `cached: false` (AUTHZ_CACHE=off) asks OpenFGA every time. The lane's stamps are part of the
 * key, and were read before the question is asked (authorization.md 6.3, invariant 4).
 */
export function createDecisions(engine: Engine, cached: boolean): Decisions {
  const cache = createDecisionCache();
  const asking = new Map<string, Promise<boolean>>();

  function askOnce(caller: Caller, prefix: string, relations: string[]): Promise<boolean>[] {
    const mine = relations.filter((relation) => !asking.has(prefix + relation));
    const batch = mine.length > 0 ? engine.ask(mine.map((one) => question(caller, one))) : null;
    for (const [index, relation] of mine.entries()) {
      const key = prefix + relation;
      const answer = batch!.then((answers) => {
        cache.set(key, answers[index]!);
        return answers[index]!;
      });
      asking.set(key, answer);
      answer.catch(() => {}).finally(() => void asking.delete(key));
    }
    return relations.map((relation) => asking.get(prefix + relation)!);
  }

  async function answerCached(caller: Caller, relations: readonly string[]) {
    const prefix = keyPrefix(engine.modelId, caller);
    const answers = new Map<string, boolean>();
    const misses: string[] = [];
    for (const relation of relations) {
      const known = cache.get(prefix + relation);
      if (known === undefined) misses.push(relation);
      else answers.set(relation, known);
    }
    if (misses.length === 0) return answers;
    const fresh = await Promise.all(askOnce(caller, prefix, misses));
    for (const [index, relation] of misses.entries()) answers.set(relation, fresh[index]!);
    return answers;
  }

  async function answerFresh(caller: Caller, relations: readonly string[]) {
    const fresh = await engine.ask(relations.map((relation) => question(caller, relation)));
    return new Map(relations.map((relation, index) => [relation, fresh[index]!]));
  }

  return { answer: cached ? answerCached : answerFresh };
}

const question = (caller: Caller, relation: string) => ({
  subject: caller.subject,
  relation,
  object: caller.seat,
});

function keyPrefix(modelId: string, caller: Caller): string {
  let key = `${modelId}|${caller.subject}|${caller.seat}`;
  for (const scope of caller.lane) key += `|${scope.stamp}`;
  return `${key}|`;
}
