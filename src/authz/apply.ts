import { setTimeout } from 'node:timers/promises';
import { scopeName } from '../caller/scope.ts';
import type { ScopeRef } from '../caller/scope.ts';
import type { Database } from '../platform/database.ts';
import { createGate } from '../platform/gate.ts';
import type { Log } from '../platform/log.ts';
import type { Engine } from './client.ts';
import { isAtOrAfter, markApplied, markStuck, waitingParts } from './store.ts';
import type { OutboxPart } from './store.ts';
import type { Delta, Tuple } from './tuple.ts';

/** Brings a scope's waiting changes to OpenFGA, exactly once and in order. */
export interface Appliers {
  /** True when the scope has nothing waiting any more; false: time is up or it must be mended. */
  apply(scope: ScopeRef, withinMs: number): Promise<boolean>;
}

export interface AppliersDependencies {
  /** A pool of its own: appliers must not wait behind the requests that wait for them. */
  database: Database;
  engine: Engine;
  log: Log;
}

type Step = 'done' | 'retry' | 'closed';
const RETRY_MS = 20;

export function createAppliers({ database, engine, log }: AppliersDependencies): Appliers {
  const running = new Map<string, Promise<boolean>>();
  const gate = createGate({ width: 4, waiting: 1_000 });

  /** One part; the fence decides whether a refused Write had landed before. */
  async function applyPart(scope: ScopeRef, part: OutboxPart): Promise<Step> {
    const outcome = await engine.write(fenced(scope, part));
    if (outcome === 'unknown') return 'retry';
    if (outcome === 'invalid') return stick(scope, part, 'OpenFGA calls a change invalid');
    if (outcome === 'refused') {
      const held = await readFence(engine, scope);
      if (!(await isAtOrAfter(database.pool, { ...scope, ...part }, held)))
        return stick(scope, part, 'a scope has drifted');
    }
    await markApplied(database.pool, scope, part);
    return 'done';
  }

  /** Trying again is no remedy: the scope stays closed, alone, and it is said once. */
  async function stick(scope: ScopeRef, { seq }: OutboxPart, what: string): Promise<Step> {
    if (await markStuck(database.pool, scope))
      log.error({ scope: scopeName(scope), seq }, `${what}. Run: toolgate drift --repair`);
    return 'closed';
  }

  async function applyAll(scope: ScopeRef, until: number): Promise<boolean> {
    let wait = RETRY_MS;
    for (;;) {
      const parts = await waitingParts(database.pool, scope);
      if (parts.length === 0) return true;
      let step: Step = 'done';
      for (const part of parts) {
        step = await applyPart(scope, part);
        if (step !== 'done') break;
        wait = RETRY_MS;
      }
      if (step === 'closed' || Date.now() + wait > until) return false;
      if (step === 'done') continue;
      await sleep(wait * (0.5 + Math.random()));
      wait = Math.min(wait * 2, 500);
    }
  }

  function start(scope: ScopeRef, name: string, until: number): Promise<boolean> {
    const work = gate(() => applyAll(scope, until))
      .catch((error: unknown) => {
        log.warn({ err: error, scope: name }, 'a change waits for the worker');
        return false;
      })
      .finally(() => void running.delete(name));
    running.set(name, work);
    return work;
  }

  return {
    async apply(scope, withinMs) {
      const name = scopeName(scope);
      const until = Date.now() + withinMs;
      // Joining a run that began before our change is not enough: it may have looked already.
      const joined = running.get(name);
      if (joined) await Promise.race([joined, sleep(withinMs)]);
      const work = running.get(name) ?? start(scope, name, until);
      return Promise.race([work, sleep(Math.max(0, until - Date.now())).then(() => false)]);
    },
  };
}

/** The Write also moves the fence on from where it stood: one that is late or twice is refused whole. */
function fenced(scope: ScopeRef, { deletes, writes, fence_before, fence }: OutboxPart): Delta {
  return {
    deletes: fence_before === null ? deletes : [...deletes, fenceTuple(scope, fence_before)],
    writes: [...writes, fenceTuple(scope, fence)],
  };
}

export const fenceObject = (scope: ScopeRef): string => `scope:${scope.kind}.${scope.id}`;

export const fenceTuple = (scope: ScopeRef, fence: string): Tuple => ({
  user: `revision:${fence}`,
  relation: 'at',
  object: fenceObject(scope),
});

/** Up to which part the store holds the scope; null before the first. */
export const readFence = async (engine: Engine, scope: ScopeRef): Promise<string | null> =>
  fenceOf(await engine.read(fenceObject(scope)));

/** Several, as two stores in one would have, are a fence no part has. */
export const fenceOf = (tuples: readonly Tuple[]): string | null =>
  tuples.length === 0 ? null : tuples.map(({ user }) => user.replace('revision:', '')).join(' ');

const sleep = (milliseconds: number) => setTimeout(milliseconds, undefined, { ref: false });
