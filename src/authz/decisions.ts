import type { Principal } from '../caller/principal.ts';
import { createDecisionCache } from './cache.ts';
import type { Known } from './cache.ts';
import type { Engine } from './client.ts';

/** A question about a caller: whether it has the relation to the object. */
export interface Check {
  object: string;
  relation: string;
}

/** Who is asked about, with every scope that decisions on the objects walk. */
export type Asked = Pick<Principal, 'subject' | 'context' | 'scopes'>;

/** Answers about a caller, from the cache or one BatchCheck. */
export interface Decisions {
  /**
   * Answers about one object, by default the context object. The map holds the relations asked for,
   * perhaps others known under the same nonces.
   */
  answer(
    asked: Asked,
    relations: readonly string[],
    object?: string,
  ): Promise<ReadonlyMap<string, boolean>>;
  /** Answers about several objects, in order. */
  answerEach(asked: Asked, checks: readonly Check[]): Promise<boolean[]>;
  /** The store that answered was not the right one: nonces do not tell. */
  forget(): void;
}

interface Miss extends Check {
  known: Known;
  /** What the answer is kept under. */
  key: string;
}

/**
 * `cached: false` (AUTHZ_CACHE=off) asks OpenFGA every time. The nonces of the scopes asked with are
 * part of the key, and were read before the question is asked.
 */
export function createDecisions(engine: Engine, cached: boolean): Decisions {
  const cache = createDecisionCache();
  const asking = new Map<string, Promise<boolean>>();

  const ask = (subject: string, checks: readonly Check[]) =>
    engine.ask(checks.map(({ object, relation }) => ({ subject, relation, object })));

  /** Asks what nobody is asking already, in one batch. */
  function askOnce(subject: string, misses: readonly Miss[]): Promise<boolean[]> {
    const mine = [...new Map(misses.map((miss) => [miss.key, miss])).values()].filter(
      ({ key }) => !asking.has(key),
    );
    const batch = mine.length > 0 ? ask(subject, mine) : null;
    for (const [index, { known, key, relation }] of mine.entries()) {
      const answer = batch!.then((answers) => {
        known.set(relation, answers[index]!);
        return answers[index]!;
      });
      asking.set(key, answer);
      answer.catch(() => {}).finally(() => void asking.delete(key));
    }
    return Promise.all(misses.map(({ key }) => asking.get(key)!));
  }

  async function answerCached(
    caller: Asked,
    relations: readonly string[],
    object = caller.context,
  ) {
    const key = keyOf(engine.modelId, caller, object);
    const known = cache.knownUnder(key);
    const unknown = relations.filter((relation) => !known.has(relation));
    if (unknown.length === 0) return known;
    const answers = new Map(known);
    const misses = unknown.map((relation) => missOf({ object, relation }, key, known));
    const fresh = await askOnce(caller.subject, misses);
    for (const [index, relation] of unknown.entries()) answers.set(relation, fresh[index]!);
    return answers;
  }

  async function answerEachCached(caller: Asked, checks: readonly Check[]) {
    const asked = checks.map((check) => {
      const key = keyOf(engine.modelId, caller, check.object);
      return missOf(check, key, cache.knownUnder(key));
    });
    const misses = asked.filter(({ known, relation }) => !known.has(relation));
    if (misses.length > 0) {
      const fresh = await askOnce(caller.subject, misses);
      const answers = new Map(misses.map(({ key }, index) => [key, fresh[index]!]));
      return asked.map(({ key, known, relation }) => answers.get(key) ?? known.get(relation)!);
    }
    return asked.map(({ known, relation }) => known.get(relation)!);
  }

  async function answerFresh(caller: Asked, relations: readonly string[], object = caller.context) {
    const checks = relations.map((relation) => ({ object, relation }));
    const fresh = await ask(caller.subject, checks);
    return new Map(relations.map((relation, index) => [relation, fresh[index]!]));
  }

  return {
    answer: cached ? answerCached : answerFresh,
    answerEach: cached ? answerEachCached : (caller, checks) => ask(caller.subject, checks),
    forget() {
      cache.forget();
      // Those under way keep the answer they asked for; nobody else joins them.
      asking.clear();
    },
  };
}

const missOf = (check: Check, key: string, known: Known): Miss => ({
  ...check,
  known,
  key: `${key}|${check.relation}`,
});

function keyOf(modelId: string, caller: Asked, object: string): string {
  let key = `${modelId}|${caller.subject}|${object}`;
  for (const scope of caller.scopes) key += `|${scope.nonce}`;
  return key;
}
