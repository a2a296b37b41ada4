import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ConnectClient } from './client.ts';

/** Connects version 1 of the official SDK, which most agents on protocol version 2025 use. */
export const connectSdkV1: ConnectClient = async (endpoint, secret) => {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(endpoint), {
    requestInit: { headers: { 'X-API-Key': secret } },
  });
  await client.connect(transport);
  return {
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, input) => JSON.stringify(await client.callTool({ name, arguments: input })),
    prompts: {
      names: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
      get: async (name, values) =>
        JSON.stringify(await client.getPrompt({ name, arguments: values })),
    },
    resources: {
      uris: async () => (await client.listResources()).resources.map(({ uri }) => uri),
      read: async (uri) => JSON.stringify(await client.readResource({ uri })),
    },
    async close() {
      await transport.terminateSession();
      await client.close();
    },
  };
};
