import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ConnectClient } from './client.ts';

type Mode = 'legacy' | 'auto' | { pin: string };

/** Connects version 2 of the official SDK, with a given or a negotiated protocol version. */
export const connectSdkV2 =
  (mode: Mode, revision: string): ConnectClient =>
  async (endpoint, secret) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(endpoint), {
        requestInit: { headers: { 'X-API-Key': secret } },
      }),
    );
    const negotiated = client.getNegotiatedProtocolVersion();
    if (negotiated !== revision) throw new Error(`negotiated ${negotiated}`);
    return {
      toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, input) =>
        JSON.stringify(await client.callTool({ name, arguments: input })),
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
