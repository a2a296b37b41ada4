import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import type { ConnectClient } from '../support/clients/client.ts';

/** LangChain's MCP adapters, with the tools as a LangChain agent receives them. */
export const connect: ConnectClient = async (endpoint, secret) => {
  const client = new MultiServerMCPClient({
    mcpServers: {
      gateway: { transport: 'http', url: endpoint, headers: { 'X-API-Key': secret } },
    },
  });
  const tools = await client.getTools();
  /** The underlying client, for what the adapters do not cover: prompts and unlisted tools. */
  const underlying = (await client.getClient('gateway'))!;
  return {
    toolNames: async () => tools.map(({ name }) => name),
    async call(name, input) {
      const tool = tools.find((one) => one.name === name);
      if (tool !== undefined) return JSON.stringify(await tool.invoke(input));
      return JSON.stringify(await underlying.callTool({ name, arguments: input }));
    },
    prompts: {
      names: async () => (await underlying.listPrompts()).prompts.map(({ name }) => name),
      get: async (name, values) =>
        JSON.stringify(await underlying.getPrompt({ name, arguments: values })),
    },
    resources: {
      uris: async () => (await client.listResources('gateway'))['gateway']!.map(({ uri }) => uri),
      read: async (uri) => JSON.stringify(await client.readResource('gateway', uri)),
    },
    close: () => client.close(),
  };
};
