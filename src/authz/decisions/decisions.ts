import { LRUCache } from 'lru-cache';
import type { Principal } from '../../caller/principal.ts';
import type { Engine } from '../engine/client.ts';

/** A check whether a caller has the relation to the object. */
export interface Check {
  object: string;
  relation: string;
}

/** The caller to check, with every scope that decisions on the objects depend on. */
export type CheckedCaller = Pick<Principal, 'subject' | 'context' | 'scopes'>;

/** Cached results by relation, for one caller, one object and one set of nonces. */
export type Results = Map<string, boolean>;

/** Answers for which OpenFGA was called. */
const asked = new WeakSet<ReadonlyMap<string, boolean>>();
/** Returns whether OpenFGA was called for these answers of `check`; others come from the cache. */
export const wasAsked = (answers: ReadonlyMap<string, boolean>): boolean => asked.has(answers);
/** Marks answers as such, and returns them. */
export function markAsked(answers: Map<string, boolean>): ReadonlyMap<string, boolean> {
  asked.add(answers);
  return answers;
}

interface Miss extends Check {
  known: Results;
  /** Identifies the check and its nonces. */
  key: string;
}

const MAX_CALLERS = 40_000;

/**
 * Decides checks from the cache or by one BatchCheck. The cache key contains the nonces of the
 * scopes, which were read before the call to OpenFGA; every change creates new nonces, so that
 * entries need no time to live. `cached: false` (AUTHZ_CACHE=off) calls OpenFGA every time.
 */
export function createDecisions(engine: Engine, cached: boolean, max = MAX_CALLERS) {
  const cache = new LRUCache<string, Results>({ max });

  /** Returns the same map as long as it is cached, so that late results are not lost. */
  function resultsFor(key: string): Results {
    let known = cache.get(key);
    if (known === undefined) cache.set(key, (known = new Map()));
    return known;
  }

  const runChecks = (subject: string, checks: readonly Check[]) =>
    engine.batchCheck(checks.map(({ object, relation }) => ({ subject, relation, object })));

  const inFlight = createInFlight(runChecks);

  async function checkCached(
    caller: CheckedCaller,
    relations: readonly string[],
    object: string = caller.context,
  ): Promise<ReadonlyMap<string, boolean>> {
    const key = keyOf(engine.modelId, caller, object);
    const known = resultsFor(key);
    const unknown = relations.filter((relation) => !known.has(relation));
    if (unknown.length === 0) return known;
    const answers = new Map(known);
    const misses = unknown.map((relation) => missOf({ object, relation }, key, known));
    const fresh = await inFlight.send(caller.subject, misses);
    for (const [index, relation] of unknown.entries()) answers.set(relation, fresh[index]!);
    return markAsked(answers);
  }

  async function checkEachCached(caller: CheckedCaller, checks: readonly Check[]) {
    const lookUps = checks.map((check) => {
      const key = keyOf(engine.modelId, caller, check.object);
      return missOf(check, key, resultsFor(key));
    });
    const misses = lookUps.filter(({ known, relation }) => !known.has(relation));
    const fresh = misses.length > 0 ? await inFlight.send(caller.subject, misses) : [];
    const answers = new Map(misses.map(({ key }, index) => [key, fresh[index]!]));
    return lookUps.map(({ key, known, relation }) => answers.get(key) ?? known.get(relation)!);
  }

  async function checkUncached(
    caller: CheckedCaller,
    relations: readonly string[],
    object: string = caller.context,
  ) {
    const checks = relations.map((relation) => ({ object, relation }));
    const fresh = await runChecks(caller.subject, checks);
    return markAsked(new Map(relations.map((relation, index) => [relation, fresh[index]!])));
  }

  return {
    /**
     * Checks relations on one object, by default the context object. The returned map may also
     * contain other relations that are cached under the same nonces.
     */
    check: cached ? checkCached : checkUncached,
    /** Checks several objects; returns the results in order. */
    checkEach: cached
      ? checkEachCached
      : (caller: CheckedCaller, checks: readonly Check[]) => runChecks(caller.subject, checks),
    /** Returns the cached results for the context object: the same map until a scope changes. */
    cached: (caller: CheckedCaller): Results =>
      cached ? resultsFor(keyOf(engine.modelId, caller, caller.context)) : new Map(),
    /** Drops all results: they may come from another store, which the nonces do not reveal. */
    clear() {
      cache.clear();
      // Checks in flight still complete for their callers, but no other caller joins them.
      inFlight.clear();
    },
  };
}

/** Sends each check once, however many callers wait for its answer. */
function createInFlight(
  sendBatch: (subject: string, checks: readonly Check[]) => Promise<boolean[]>,
) {
  const inFlight = new Map<string, Promise<boolean>>();
  return {
    clear: () => inFlight.clear(),
    /** Sends the checks that are not in flight yet in one batch, and joins those that are. */
    send(subject: string, misses: readonly Miss[]): Promise<boolean[]> {
      const unsent = [...new Map(misses.map((miss) => [miss.key, miss])).values()].filter(
        ({ key }) => !inFlight.has(key),
      );
      const batch = unsent.length > 0 ? sendBatch(subject, unsent) : null;
      for (const [index, { known, key, relation }] of unsent.entries()) {
        const answer = batch!.then((answers) => {
          known.set(relation, answers[index]!);
          return answers[index]!;
        });
        inFlight.set(key, answer);
        answer.catch(() => {}).finally(() => void inFlight.delete(key));
      }
      return Promise.all(misses.map(({ key }) => inFlight.get(key)!));
    },
  };
}

const missOf = (check: Check, key: string, known: Results): Miss => ({
  ...check,
  known,
  key: `${key}|${check.relation}`,
});

function keyOf(modelId: string, caller: CheckedCaller, object: string): string {
  let key = `${modelId}|${caller.subject}|${object}`;
  for (const scope of caller.scopes) key += `|${scope.nonce}`;
  return key;
}
