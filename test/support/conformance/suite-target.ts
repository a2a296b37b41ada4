import { fileURLToPath } from 'node:url';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { tools as builtInTools } from '../../../src/catalog/tools.ts';
import { freePort } from '../free-port.ts';
import { createKey, selectTools, signUp } from '../people.ts';
import { startRoundRobin } from '../round-robin.ts';
import type { World } from '../world.ts';
import { clientTools } from './client-tools.ts';
import { contentTools } from './content-tools.ts';
import { fixtureCapabilities, withFixtures } from './fixture-methods.ts';
import { fixtureTool, text } from './fixture-tool.ts';
import { inputTools } from './input-tools.ts';

export interface SuiteTarget {
  /** The endpoint behind the balancer, for a suite that cannot authenticate. */
  url: string;
  close(): Promise<void>;
}

/** Two gateways with the fixture tenant behind a balancer that adds its key (mcp.md 13). */
export async function startSuiteTarget(world: World): Promise<SuiteTarget> {
  const port = await freePort();
  let change = async () => {};
  const trigger = fixtureTool('test_trigger_tool_change', {
    description: 'Changes the list of tools.',
    async answer() {
      await change();
      return text('The list of tools changed.');
    },
  });
  const fixtures = [...contentTools, ...clientTools, ...inputTools, trigger];
  const options = {
    env: {
      PUBLIC_URL: `http://localhost:${port}`,
      PLANS_FILE: fileURLToPath(new URL('../generous-plans.json', import.meta.url)),
    },
    overrides: {
      catalog: createCatalog([...builtInTools, ...fixtures]),
      mcp: {
        extend: withFixtures,
        capabilities: fixtureCapabilities,
        timings: { turnMs: 500 },
      },
    },
  };
  const first = await world.gateway(options);
  const second = await world.gateway(options);
  const tenant = await signUp(world, first, 'fixture');
  const names = fixtures.map(({ name }) => name);
  let isLonger = false;
  change = async () => {
    isLonger = !isLonger;
    await selectTools(tenant, isLonger ? [...names, 'uuid'] : names);
  };
  await selectTools(tenant, names);
  const { secret } = await createKey(tenant, {
    mcp_capabilities: ['tools', 'prompts', 'resources', 'agents'],
  });
  const balancer = await startRoundRobin({
    targets: [first.url, second.url],
    port,
    headers: { 'x-api-key': secret },
  });
  return { url: `${balancer.url}/mcp`, close: balancer.close };
}
