import type { ConnectClient, NamedClient } from './client.ts';
import { installPackage } from './install-package.ts';

const home = new URL('../../clients/', import.meta.url);

const driver =
  (file: string): ConnectClient =>
  async (endpoint, secret) => {
    const { connect } = (await import(new URL(file, home).href)) as { connect: ConnectClient };
    return connect(endpoint, secret);
  };

/** Clients whose packages are large or conflict with ours, installed from their own package. */
export const installedClients: readonly NamedClient[] = [
  { name: '@ai-sdk/mcp', connect: driver('ai-sdk.ts') },
  { name: '@openai/agents', connect: driver('openai-agents.ts'), hasPrompts: false },
  { name: '@langchain/mcp-adapters', connect: driver('langchain.ts') },
  { name: 'mcp-remote over stdio', connect: driver('mcp-remote.ts') },
];

/** Installs the clients once. Returns false if the npm registry is unreachable. */
export const installClients = (): Promise<boolean> => installPackage(home, 'third-party clients');
