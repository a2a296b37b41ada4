import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { ConnectClient } from '../support/clients/client.ts';

const home = dirname(createRequire(import.meta.url).resolve('mcp-remote/package.json'));

/** `mcp-remote` between the gateway and a client that supports only stdio. */
export const connect: ConnectClient = async (endpoint, secret) => {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-mcp-remote-'));
  const header = ['--header', `X-API-Key:${secret}`];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      ...[join(home, 'dist/proxy.js'), endpoint, '--allow-http', '--transport', 'http-only'],
      ...header,
    ],
    env: { ...getDefaultEnvironment(), MCP_REMOTE_CONFIG_DIR: folder },
    stderr: 'pipe',
  });
  let errorOutput = '';
  transport.stderr?.on('data', (data: Buffer) => {
    errorOutput += data.toString();
  });
  const client = new Client({ name: 'test', version: '1' });
  try {
    await client.connect(transport);
  } catch (error) {
    await transport.close();
    throw new Error(errorOutput, { cause: error });
  }
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
      await client.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
