import { expect } from 'vitest';
import { createProxy } from '../../support/servers/proxy.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { manyGateways, smallCatalog } from './agents-reach.ts';

/** Starts two gateways, the second of which can be cut off from OpenFGA. */
export async function createCutOffWorld() {
  const world = await createWorld(manyGateways);
  const proxy = await createProxy(world.env['OPENFGA_API_URL']!);
  const overrides = { catalog: smallCatalog };
  const gateways: [Gateway, Gateway] = [
    await world.gateway({ overrides }),
    await world.gateway({ overrides, env: { OPENFGA_API_URL: proxy.url } }),
  ];
  return {
    ...{ world, gateways },
    /** Runs requests at once, with the second gateway cut off or not. */
    async run(isCutOff: boolean, requests: readonly (() => Promise<void>)[]): Promise<void> {
      if (isCutOff) proxy.down();
      await Promise.all(requests.map((send) => send())).finally(() => proxy.pass());
    },
    /** Waits until the worker has applied every change to OpenFGA. */
    waitUntilApplied: () =>
      expect
        .poll(() => world.query('SELECT id FROM authz_scope WHERE applied < revision'), {
          timeout: 10_000,
        })
        .toEqual([]),
    async close() {
      await world.close();
      await proxy.close();
    },
  };
}
export type CutOffWorld = Awaited<ReturnType<typeof createCutOffWorld>>;
