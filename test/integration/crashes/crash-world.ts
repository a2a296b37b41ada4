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
export interface Scenario {
  name: string;
  keys: Readonly<Record<string, SecretKey>>;
  /** Makes the change on a gateway. */
  change(gateway: Gateway): Promise<{ status: number; body: unknown }>;
  /** Returns whether the change's background work is done. */
  ended?(): Promise<boolean>;
  /** Completes the change's background work on another gateway. */
  complete?(): Promise<unknown>;
}

const TIMEOUT_MS = 20_000;
const MAX_STEPS = 4;
// Durable steps of a change: a commit, a Write to OpenFGA, and the record that the Write was applied.
const DURABLE_WRITES = ['COMMIT\0', '/write HTTP/1.1', 'UPDATE authz_outbox SET applied_at'];
const isDurableWrite = (chunk: Buffer) => DURABLE_WRITES.some((write) => chunk.includes(write));

/** Returns the steps to stop before: all, or evenly spaced ones of a long change, first and last included. */
function sampleSteps(steps: number): readonly number[] {
  const count = Math.min(trials(MAX_STEPS), steps);
  const interval = (steps - 1) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, index) => 1 + Math.round(index * interval));
}

/**
 * Starts a world with a gateway that can be stopped between two steps of a change. From then on
 * nothing that it sends reaches a server, and its connections are closed, as if its process were killed.
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
   * Makes the change on the stoppable gateway, and stops it before the n-th durable step.
   * Returns how many steps the change started.
   */
  async function stopBefore(step: number, { change, ended }: Scenario): Promise<number> {
    let steps = 0;
    const onChunk = (chunk: Buffer) => {
      if (!isDurableWrite(chunk)) return;
      steps += 1;
      if (steps === step) for (const proxy of proxies) proxy.down();
    };
    for (const proxy of proxies) proxy.watch(onChunk);
    const isRunning = () => steps < step;
    for (let status = 503; isRunning() && status === 503;) {
      const answer = await change(stoppable);
      ({ status } = answer);
      // The response of a stopped gateway does not matter.
      if (isRunning() && status >= 300 && status !== 503)
        throw new Error(`${status} ${JSON.stringify(answer.body)}`);
    }
    const isPending = async () => isRunning() && !((await ended?.()) ?? true);
    while (await isPending()) await pause(20);
    return steps;
  }

  async function restart(): Promise<void> {
    for (const proxy of proxies) {
      proxy.watch(() => {});
      proxy.pass();
    }
    const health = async () => (await fetch(`${stoppable.url}/health`)).status;
    await expect.poll(health, { timeout: TIMEOUT_MS }).toBe(200);
  }

  /**
   * Makes the change completely, then in other organizations stops it before each of its steps. Each
   * time, the rows and what each key sees must equal the state before or after the whole change.
   */
  async function expectAtomic(prepare: () => Promise<Scenario>): Promise<void> {
    const complete = await prepare();
    const before = await stateOf(world, live, complete);
    const steps = await stopBefore(Infinity, complete);
    const after = await stateOf(world, live, complete);
    expect(after, 'the change has an effect').not.toEqual(before);
    expect(steps).toBeGreaterThanOrEqual(1);
    for (const step of sampleSteps(steps)) {
      const scenario = await prepare();
      await stopBefore(step, scenario);
      await scenario.complete?.();
      const state = await stateOf(world, live, scenario);
      await restart();
      // A gateway's background work counts as steps too, so either state is possible at any step.
      const message = `stopped before step ${step} of ${steps}`;
      expect([before, after], message).toContainEqual(state);
    }
  }

  /** Compares all scopes of all crashed changes; once a file, since it takes a while. */
  const expectNoDrift = async () => expect(await driftOf(live)).toEqual([]);

  return {
    ...{ world, live, joins, expectAtomic, expectNoDrift },
    async close() {
      await joins.close();
      await world.close();
      await close();
    },
  };
}
export type CrashWorld = Awaited<ReturnType<typeof createCrashWorld>>;
