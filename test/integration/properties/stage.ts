import { startUpstreamServer } from '../../support/peers/upstream-server.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';
import { createWorld } from '../../support/worlds/world.ts';
import { ITEM_FAMILIES, pool } from '../../support/worlds/worlds.ts';
import type { BuiltInItems, WorldPlan } from '../../support/worlds/worlds.ts';
import { manyGateways, oracleCatalog, promptIds, smallCatalog, toolIds } from './agents-reach.ts';
import { createBuiltWorld, createTenant } from './built-world.ts';
import type { BuiltWorld, Tenant } from './built-world.ts';

/** Built-in items that a plan can refer to. */
export const builtIns: BuiltInItems = { tools: toolIds, prompts: promptIds };

/** One service with two gateways and several accounts, reused for one world after another. */
export interface Stage {
  /** Origin that these tenants' custom tools call. */
  upstream: string;
  world: World;
  gateways: readonly [Gateway, Gateway];
  tenants: readonly Tenant[];
  /** Builds a world that is not removed. */
  buildWorld(plan: WorldPlan): Promise<BuiltWorld>;
  /** Builds a world and removes it afterwards, even if `run` fails. */
  inWorld(plan: WorldPlan, run: (built: BuiltWorld) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export async function createStage(people: number, catalog = smallCatalog): Promise<Stage> {
  const upstream = await startUpstreamServer();
  const world = await createWorld({ ...manyGateways, OUTBOUND_ALLOW: upstream.host });
  const start = () => world.gateway({ overrides: { catalog } });
  const gateways = [await start(), await start()] as const;
  const tenants: Tenant[] = [];
  // One after another: concurrent password hashing would disturb other tests' measurements.
  while (tenants.length < people) tenants.push(await createTenant(world, gateways[0]));
  const newWorld = () => createBuiltWorld(tenants, oracleCatalog, upstream.origin);
  let ending: Promise<void> = Promise.resolve();
  return {
    upstream: upstream.origin,
    world,
    gateways,
    tenants,
    async buildWorld(plan) {
      const built = newWorld();
      await built.build(gateways[0], plan);
      return built;
    },
    async inWorld(plan, run) {
      // An interrupted trial is still running: wait until its world is removed.
      await ending;
      const { promise, resolve } = Promise.withResolvers<void>();
      ending = promise;
      const built = newWorld();
      try {
        await built.build(gateways[0], plan);
        await run(built);
      } finally {
        await built.end(gateways[0]).finally(resolve);
      }
    },
    async close() {
      await world.close();
      upstream.close();
    },
  };
}

/** Tenants with equal data, distinguishable only by their ids and markers. */
export const twins = (count: number): WorldPlan => ({
  accounts: Array.from({ length: count }, () => ({
    selected: { tools: [...builtIns.tools], prompts: [...builtIns.prompts] },
    items: ITEM_FAMILIES.flatMap((family) =>
      pool[family].map((name) => ({ family, name, conditions: [] })),
    ),
  })),
  keys: [],
});
