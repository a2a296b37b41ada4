import { closeAfterTests } from './close-after-tests.ts';
import { createWorld } from './world.ts';
import type { GatewayOptions } from './world.ts';

/** Starts a world with one gateway for a test file; it closes after the file's tests. */
export async function useGateway(env: Record<string, string> = {}, options: GatewayOptions = {}) {
  const world = await closeAfterTests(createWorld(env));
  const gateway = await world.gateway(options);
  return { world, gateway };
}
