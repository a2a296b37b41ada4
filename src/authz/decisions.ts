import { LRUCache } from 'lru-cache';
import type { Principal } from '../caller/principal.ts';
import type { Engine } from './client.ts';

/** A check of a caller: whether it has the relation to the object. */
export interface Check {
  object: string;
  relation: string;
}

/** The caller to check, with every scope that decisions on the objects depend on. */
export type CheckedCaller = Pick<Principal, 'subject' | 'context' | 'scopes'>;

/** Cached answers by relation: one caller, one object, one set of nonces. */
type Answers = Map<string, boolean>;

interface Miss extends Check {
  known: Answers;
  /** Identifies the check and its nonces. */
  key: string;
}

const MAX_CALLERS = 40_000;

/**
 * Answers checks from the cache or by one BatchCheck. The cache key contains the nonces of the
 * scopes, which were read before the call to OpenFGA; every change creates new nonces, so that
 * entries need no time to live. `cached: false` (AUTHZ_CACHE=off) calls OpenFGA every time.
 */
export function createDecisions(engine: Engine, cached: boolean, max = MAX_CALLERS) {
  const cache = new LRUCache<string, Answers>({ max });
  const inFlight = new Map<string, Promise<boolean>>();

  /** Returns the same map as long as it is cached, so that late answers are not lost. */
  function answersFor(key: string): Answers {
    let known = cache.get(key);
    if (known === undefined) cache.set(key, (known = new Map()));
    return known;
  }

  const ask = (subject: string, checks: readonly Check[]) =>
    engine.ask(checks.map(({ object, relation }) => ({ subject, relation, object })));

  /** Sends the checks that are not in flight yet in one batch, and joins those that are. */
  function askOnce(subject: string, misses: readonly Miss[]): Promise<boolean[]> {
    const unsent = [...new Map(misses.map((miss) => [miss.key, miss])).values()].filter(
      ({ key }) => !inFlight.has(key),
    );
    const batch = unsent.length > 0 ? ask(subject, unsent) : null;
    for (const [index, { known, key, relation }] of unsent.entries()) {
      const answer = batch!.then((answers) => {
        known.set(relation, answers[index]!);
        return answers[index]!;
      });
      inFlight.set(key, answer);
      answer.catch(() => {}).finally(() => void inFlight.delete(key));
    }
    return Promise.all(misses.map(({ key }) => inFlight.get(key)!));
  }

  async function answerCached(
    caller: CheckedCaller,
    relations: readonly string[],
    object: string = caller.context,
  ): Promise<ReadonlyMap<string, boolean>> {
    const key = keyOf(engine.modelId, caller, object);
    const known = answersFor(key);
    const unknown = relations.filter((relation) => !known.has(relation));
    if (unknown.length === 0) return known;
    const answers = new Map(known);
    const misses = unknown.map((relation) => missOf({ object, relation }, key, known));
    const fresh = await askOnce(caller.subject, misses);
    for (const [index, relation] of unknown.entries()) answers.set(relation, fresh[index]!);
    return answers;
  }

  async function answerEachCached(caller: CheckedCaller, checks: readonly Check[]) {
    const lookUps = checks.map((check) => {
      const key = keyOf(engine.modelId, caller, check.object);
      return missOf(check, key, answersFor(key));
    });
    const misses = lookUps.filter(({ known, relation }) => !known.has(relation));
    const fresh = misses.length > 0 ? await askOnce(caller.subject, misses) : [];
    const answers = new Map(misses.map(({ key }, index) => [key, fresh[index]!]));
    return lookUps.map(({ key, known, relation }) => answers.get(key) ?? known.get(relation)!);
  }

  async function answerFresh(
    caller: CheckedCaller,
    relations: readonly string[],
    object: string = caller.context,
  ) {
    const checks = relations.map((relation) => ({ object, relation }));
    const fresh = await ask(caller.subject, checks);
    return new Map(relations.map((relation, index) => [relation, fresh[index]!]));
  }

  return {
    /**
     * Checks relations on one object, by default the context object. The returned map may contain
     * more than those: others that are cached under the same nonces.
     */
    answer: cached ? answerCached : answerFresh,
    /** Checks several objects; returns the answers in order. */
    answerEach: cached
      ? answerEachCached
      : (caller: CheckedCaller, checks: readonly Check[]) => ask(caller.subject, checks),
    /** Drops all answers: they may be from another store, which the nonces do not show. */
    forget() {
      cache.clear();
      // Checks in flight still answer their callers, but no other caller joins them.
      inFlight.clear();
    },
  };
}

const missOf = (check: Check, key: string, known: Answers): Miss => ({
  ...check,
  known,
  key: `${key}|${check.relation}`,
});

function keyOf(modelId: string, caller: CheckedCaller, object: string): string {
  let key = `${modelId}|${caller.subject}|${object}`;
  for (const scope of caller.scopes) key += `|${scope.nonce}`;
  return key;
}
