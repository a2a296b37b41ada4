import { createMCPClient } from '@ai-sdk/mcp';
import type { ConnectClient } from '../support/clients/client.ts';

/** `@ai-sdk/mcp`, which negotiates the 2026 era first and gives the model tools with `execute`. */
export const connect: ConnectClient = async (endpoint, secret) => {
  const client = await createMCPClient({
    transport: { type: 'http', url: endpoint, headers: { 'X-API-Key': secret } },
  });
  const tools = await client.tools();
  return {
    toolNames: async () => Object.keys(tools),
    async call(name, input) {
      const tool = tools[name];
      // A tool that was not listed is unknown to a model here; only the client itself can call it.
      const result =
        tool === undefined
          ? await client.callTool({ name, arguments: input })
          : await tool.execute(input, { toolCallId: '1', messages: [], context: {} });
      return JSON.stringify(result);
    },
    prompts: {
      names: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
      get: async (name, values) =>
        JSON.stringify(await client.getPrompt({ name, arguments: values })),
    },
    resources: {
      uris: async () => (await client.listResources()).resources.map(({ uri }) => uri),
      read: async (uri) => JSON.stringify(await client.readResource({ uri })),
    },
    close: () => client.close(),
  };
};
