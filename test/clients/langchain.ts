import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import type { ConnectClient } from '../support/clients/client.ts';

/** The adapters of LangChain: the tools as a LangChain agent is given them. */
export const connect: ConnectClient = async (endpoint, secret) => {
  const client = new MultiServerMCPClient({
    mcpServers: {
      gateway: { transport: 'http', url: endpoint, headers: { 'X-API-Key': secret } },
    },
  });
  const tools = await client.getTools();
  return {
    toolNames: async () => tools.map(({ name }) => name),
    async call(name, input) {
      const tool = tools.find((one) => one.name === name);
      if (tool !== undefined) return JSON.stringify(await tool.invoke(input));
      // What was not listed is no tool of an agent here; only the client below can ask for it.
      const connection = await client.getClient('gateway');
      return JSON.stringify(await connection!.callTool({ name, arguments: input }));
    },
    close: () => client.close(),
  };
};
