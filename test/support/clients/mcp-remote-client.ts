import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

const home = fileURLToPath(new URL('../../clients/', import.meta.url));

/** The program `mcp-remote-client`. */
export const mcpRemoteClient = join(home, 'node_modules', 'mcp-remote', 'dist', 'client.js');

/** Runs it with a key: it connects, lists, and exits. */
export async function runMcpRemoteClient(endpoint: string, secret: string) {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-mcp-remote-'));
  const options = ['--allow-http', '--transport', 'http-only', '--header', `X-API-Key:${secret}`];
  const env = { ...process.env, MCP_REMOTE_CONFIG_DIR: folder };
  try {
    return await new Promise<{ code: number; output: string }>((resolve) => {
      execFile(
        process.execPath,
        [mcpRemoteClient, endpoint, ...options],
        { env },
        (error, stdout, errors) =>
          resolve({ code: Number(error?.code ?? 0), output: stdout + errors }),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
