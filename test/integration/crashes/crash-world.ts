import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { createLinks } from '../../support/histories/nemesis.ts';
import { createJoins, driftOf } from '../../support/people/organizations.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { manyGateways, smallCatalog } from '../properties/agents-reach.ts';
import { trials } from '../properties/trials.ts';
import { stateOf } from './organization-state.ts';
import type { SecretKey } from './organization-state.ts';

/** An organization just before a change. */
export interface Setting {
  name: string;
  keys: Readonly<Record<string, SecretKey>>;
  /** Makes the change at a gateway. */
  change(gateway: Gateway): Promise<{ status: number; body: unknown }>;
  /** Whether what the change started in the background is done. */
  ended?(): Promise<boolean>;
  /** Completes, at another gateway, what the change started in the background. */
  complete?(): Promise<unknown>;
}

const PATIENCE_MS = 20_000;
const MOST_STEPS = 6;
// What a change sends to make something last: each transaction, each Write, each record of one.
const LASTING = ['COMMIT\0', '/write HTTP/1.1', 'UPDATE authz_outbox SET applied_at'];
const isLasting = (chunk: Buffer) => LASTING.some((one) => chunk.includes(one));

/** Returns the steps to stop before: all of them, or some of a long change, with both ends. */
function someOf(steps: number): readonly number[] {
  const most = Math.min(trials(MOST_STEPS), steps);
  const steady = (steps - 1) / Math.max(1, most - 1);
  return Array.from({ length: most }, (_, index) => 1 + Math.round(index * steady));
}

/**
 * Starts a world with a gateway that can be stopped between two steps of a change: from one step on
 * nothing that it sends reaches a server, and its connections end, as if its process were killed.
 */
export async function createCrashWorld() {
  const world = await createWorld(manyGateways);
  const overrides = { catalog: smallCatalog };
  const live = await world.gateway({ overrides });
  const joins = await createJoins(live);
  const { links, env, close } = await createLinks(world.env);
  const stoppable = await world.gateway({ env, overrides });
  const proxies = Object.values(links);

  /**
   * Makes the change at the stoppable gateway, and stops it before the change's n-th lasting step.
   * Returns how many steps the change began.
   */
  async function stoppedBefore(step: number, { change, ended }: Setting): Promise<number> {
    let steps = 0;
    const see = (chunk: Buffer) => {
      if (!isLasting(chunk)) return;
      steps += 1;
      if (steps === step) for (const proxy of proxies) proxy.down();
    };
    for (const proxy of proxies) proxy.watch(see);
    const isRunning = () => steps < step;
    for (let status = 503; isRunning() && status === 503;) {
      const answer = await change(stoppable);
      ({ status } = answer);
      // No answer of a stopped gateway matters.
      if (isRunning() && status >= 300 && status !== 503)
        throw new Error(`${status} ${JSON.stringify(answer.body)}`);
    }
    const isLeft = async () => isRunning() && !((await ended?.()) ?? true);
    while (await isLeft()) await pause(20);
    return steps;
  }

  async function restart(): Promise<void> {
    for (const proxy of proxies) {
      proxy.watch(() => {});
      proxy.pass();
    }
    const health = async () => (await fetch(`${stoppable.url}/health`)).status;
    await expect.poll(health, { timeout: PATIENCE_MS }).toBe(200);
  }

  /**
   * Makes the change completely, then in other organizations, stopped before each of its steps. Afterwards everything is as before the change or as after all of it, for
   * the rows and for what each key sees.
   */
  async function requireWhole(prepare: () => Promise<Setting>): Promise<void> {
    const complete = await prepare();
    const before = await stateOf(world, live, complete);
    const steps = await stoppedBefore(Infinity, complete);
    const after = await stateOf(world, live, complete);
    expect(after, 'the change shows').not.toEqual(before);
    expect(steps).toBeGreaterThanOrEqual(1);
    for (const step of someOf(steps)) {
      const setting = await prepare();
      await stoppedBefore(step, setting);
      await setting.complete?.();
      const state = await stateOf(world, live, setting);
      await restart();
      // What else a gateway does meanwhile counts as a step too, so either may be seen at any.
      const which = `stopped before step ${step} of ${steps}`;
      expect([before, after], which).toContainEqual(state);
    }
    expect(await driftOf(live)).toEqual([]);
  }

  return {
    ...{ world, live, joins, requireWhole },
    async close() {
      await joins.close();
      await world.close();
      await close();
    },
  };
}
export type CrashWorld = Awaited<ReturnType<typeof createCrashWorld>>;
