import { connect, disconnect } from '../../../src/connections.ts';
import { createParts } from '../../../src/parts.ts';
import type { Config } from '../../../src/platform/config/config.ts';

/** Creates the part of a gateway that refreshes followed upstreams, as another gateway. */
export async function createRefresher({ config }: { config: Config }) {
  const connections = await connect(config);
  const { authz, content, outbound, workers } = createParts(config, connections, {});
  await authz.requireStore();
  return {
    refreshDue: content.refresh.refreshDue,
    async close() {
      await content.close().then(outbound.close);
      await workers.close();
      await disconnect(connections);
    },
  };
}
