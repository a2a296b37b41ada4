import { createProxy } from '../servers/proxy.ts';
import { closeAfterTests } from './close-after-tests.ts';
import { createWorld } from './world.ts';

/**
 * Starts a world for a test file, with a gateway that reaches one of its servers through a proxy,
 * which can delay, watch and interrupt it. Further gateways reach the server itself.
 */
export async function useProxiedGateway(
  variable: 'DATABASE_URL' | 'OPENFGA_API_URL',
  env: Record<string, string> = {},
) {
  const world = await createWorld(env);
  const proxy = await createProxy(world.env[variable]!);
  await closeAfterTests({
    async close() {
      // The gateway needs the server until it has stopped.
      await world.close();
      await proxy.close();
    },
  });
  const gateway = await world.gateway({ env: { [variable]: proxy.url } });
  return { world, gateway, proxy };
}
