import { setTimeout } from 'node:timers/promises';
import { scopeName } from '../caller/scope.ts';
import type { ScopeRef } from '../caller/scope.ts';
import type { Database } from '../platform/postgres/database.ts';
import { createGate } from '../platform/concurrency/gate.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Engine } from './client.ts';
import { fenced, readFence } from './fence.ts';
import { isAtOrAfter, markApplied, markStuck, waitingParts } from './store.ts';
import type { OutboxPart } from './store.ts';

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
  /** How many scopes at a time. */
  width?: number;
}

type Step = 'done' | 'retry' | 'closed';
const RETRY_MS = 20;

export function createAppliers({
  database,
  engine,
  log,
  width = 4,
}: AppliersDependencies): Appliers {
  const running = new Map<string, Promise<boolean>>();
  const gate = createGate({ width, waiting: 1_000 });

  /** Applies one part; the fence decides whether a refused Write had landed before. */
  async function applyPart(scope: ScopeRef, part: OutboxPart, until: number): Promise<Step> {
    // In commit order a change comes after all it waits for, so this ends.
    const first = part.after && (await applyWaiting(part.after, part.after.seq, until));
    if (first === 'closed') return stick(scope, part, 'a scope before it is stuck');
    if (first === 'retry') return 'retry';
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

  /** Trying again is no remedy: the scope stays closed, alone, and is logged once. */
  async function stick(scope: ScopeRef, { seq }: OutboxPart, what: string): Promise<Step> {
    if (await markStuck(database.pool, scope))
      log.error({ scope: scopeName(scope), seq }, `${what}. Run: toolgate drift --repair`);
    return 'closed';
  }

  /** Applies what waits of a scope, up to one revision. */
  async function applyWaiting(scope: ScopeRef, upTo: number, until: number): Promise<Step> {
    for (;;) {
      const waiting = await waitingParts(database.pool, scope);
      const parts = waiting.filter(({ seq }) => seq <= upTo);
      if (parts.length === 0) return 'done';
      for (const part of parts) {
        const step = await applyPart(scope, part, until);
        if (step !== 'done') return step;
      }
      if (performance.now() > until) return 'retry';
    }
  }

  async function applyAll(scope: ScopeRef, until: number): Promise<boolean> {
    for (let wait = RETRY_MS; ; wait = Math.min(wait * 2, 500)) {
      const step = await applyWaiting(scope, Number.POSITIVE_INFINITY, until);
      if (step === 'done') return true;
      if (step === 'closed' || performance.now() + wait > until) return false;
      await sleep(wait * (0.5 + Math.random()));
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
      const until = performance.now() + withinMs;
      // Joining a run that began before our change is not enough: it may have looked already.
      const joined = running.get(name);
      if (joined) await Promise.race([joined, sleep(withinMs)]);
      const work = running.get(name) ?? start(scope, name, until);
      const left = Math.max(0, until - performance.now());
      return Promise.race([work, sleep(left).then(() => false)]);
    },
  };
}

const sleep = (milliseconds: number) => setTimeout(milliseconds, undefined, { ref: false });
