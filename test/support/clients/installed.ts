import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ConnectClient, NamedClient } from './client.ts';

const home = new URL('../../clients/', import.meta.url);
const versionFile = new URL('node_modules/.toolgate-installed', home);

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

/**
 * Installs the clients once. Returns false if the npm registry is unreachable, since the
 * clients cannot run then.
 */
export async function installClients(): Promise<boolean> {
  const lock = readFileSync(new URL('package-lock.json', home));
  const expected = createHash('sha256').update(lock).digest('hex');
  if (readVersionMark() === expected) return true;
  try {
    await npm('ci', '--ignore-scripts', '--prefer-offline');
  } catch (error) {
    if (await isRegistryReachable()) throw error;
    console.log('the npm registry is unreachable: third-party clients are not tested');
    return false;
  }
  writeFileSync(versionFile, expected);
  return true;
}

function readVersionMark(): string | null {
  try {
    return readFileSync(versionFile, 'utf8');
  } catch {
    return null;
  }
}

/** Returns whether the registry responds at all; if it does, a failed installation is an error. */
async function isRegistryReachable(): Promise<boolean> {
  const registry = await npm('config', 'get', 'registry');
  try {
    await fetch(registry.trim(), { signal: AbortSignal.timeout(5_000) });
    return true;
  } catch {
    return false;
  }
}

const npm = (...args: readonly string[]) =>
  new Promise<string>((resolve, reject) => {
    execFile('npm', args, { cwd: fileURLToPath(home) }, (error, output, errors) => {
      if (error === null) resolve(output);
      else reject(new Error(errors, { cause: error }));
    });
  });
