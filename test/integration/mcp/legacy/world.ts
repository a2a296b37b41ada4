import { createCatalog } from '../../../../src/catalog/catalog.ts';
import { tools as builtInTools } from '../../../../src/catalog/tools.ts';
import type { Methods } from '../../../../src/mcp/protocol/dispatch.ts';
import { fixtureTool, pause, text } from '../../../support/conformance/fixture-tool.ts';
import { withRunningCall } from '../../../support/conformance/running-call.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import type { GatewayOptions } from '../../../support/worlds/world.ts';
import { createKeyHolder } from '../key-holder.ts';

/** How each call ended, by the tag that its caller chose. */
export type Ends = Map<string, 'finished' | 'cancelled'>;

/**
 * Options of a gateway with tools that run slowly, report progress and send requests to the client.
 */
export function slowGateway(ends: Ends): GatewayOptions {
  const tagged = {
    type: 'object',
    properties: { tag: { type: 'string' }, ms: { type: 'integer' } },
  };
  const slowTool = fixtureTool('slow', {
    description: 'Takes its time.',
    input_schema: tagged,
    async answer({ tag, ms }, call) {
      const until = performance.now() + Number(ms);
      while (performance.now() < until && !call.cancellation.isCancelled) await pause(20);
      ends.set(String(tag), call.cancellation.isCancelled ? 'cancelled' : 'finished');
      return text(`done ${String(tag)}`);
    },
  });
  const reportingTool = fixtureTool('reporting', {
    description: 'Reports twice.',
    input_schema: tagged,
    async answer({ ms }, call) {
      for (const progress of [1, 2]) {
        call.notify({ method: 'notifications/progress', params: { progressToken: 't', progress } });
        await pause(Number(ms));
      }
      return text('reported');
    },
  });
  const askingTool = fixtureTool('asking', {
    description: 'Asks the client.',
    async answer(_input, call) {
      const answer = await call.request!({ method: 'roots/list' });
      return text(JSON.stringify(answer));
    },
  });
  return {
    overrides: {
      catalog: createCatalog([...builtInTools, slowTool, reportingTool, askingTool]),
      mcp: {
        extend: (methods: Methods) => ({
          ...methods,
          'tools/call': withRunningCall(methods['tools/call']!),
        }),
      },
    },
  };
}

/**
 * Starts two instances with these tools, and creates a key that can call them. The instances close
 * after the tests of the file.
 */
export async function useSlowInstances() {
  const ends: Ends = new Map();
  const { world, gateway } = await useGateway({}, slowGateway(ends));
  const there = await world.gateway(slowGateway(ends));
  const ada = await createKeyHolder(world, gateway);
  await ada.select(['calculator', 'slow', 'reporting', 'asking']);
  const { secret } = await ada.createKey();
  return { ends, world, ada, secret, otherEndpoint: `${there.url}/mcp` };
}
