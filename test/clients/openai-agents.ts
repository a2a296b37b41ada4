import { MCPServerStreamableHttp } from '@openai/agents';
import type { ConnectClient } from '../support/clients/client.ts';

/** The MCP server of `@openai/agents`, as its agents use it. */
export const connect: ConnectClient = async (endpoint, secret) => {
  const server = new MCPServerStreamableHttp({
    url: endpoint,
    requestInit: { headers: { 'X-API-Key': secret } },
  });
  await server.connect();
  return {
    toolNames: async () => (await server.listTools()).map(({ name }) => name),
    call: async (name, input) => JSON.stringify(await server.callTool(name, input)),
    resources: {
      uris: async () => (await server.listResources()).resources.map(({ uri }) => uri),
      read: async (uri) => JSON.stringify(await server.readResource(uri)),
    },
    close: () => server.close(),
  };
};
