import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/servers/free-port.ts';
import type { Target } from './targets.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** From `git clone` to the first tool call, with OpenFGA already built, in seconds. */
export async function measureFirstCall(): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-clone-'));
  const began = performance.now();
  run('git', ['clone', '--quiet', ROOT, folder], tmpdir());
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const server = spawn('npm', ['start', '--silent'], {
    cwd: folder,
    env: {
      ...process.env,
      PORT: String(port),
      NODE_COMPILE_CACHE: join(folder, '.data', 'compiled'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await untilReady(server);
    const shown = run('node', ['src/cli/toolgate.mjs', 'quickstart', '--url', url], folder);
    const key = /^Key\s+(\S+)$/m.exec(shown)?.[1];
    if (!key) throw new Error('the quickstart showed no key');
    await callCalculator(url, key);
    const seconds = (performance.now() - began) / 1_000;
    return {
      name: 'clone to first tool call: seconds',
      value: seconds,
      limit: 180,
      kind: 'at most',
    };
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args[0]}: ${stdout}${stderr}`);
  return stdout;
}

function untilReady(server: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('exit', (code) => reject(new Error(`npm start ended with ${code}`)));
    createInterface({ input: server.stdout! }).on('line', (line) => {
      if (line.startsWith('toolgate is ready')) resolve();
    });
  });
}

async function callCalculator(url: string, key: string): Promise<void> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'calculator',
      'x-api-key': key,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'calculator', arguments: { expression: '6*7' }, _meta: ENVELOPE },
    }),
  });
  const text = await response.text();
  if (!text.includes('42')) throw new Error(`the first call answered ${text}`);
}
