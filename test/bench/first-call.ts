import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
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

/** Measures the seconds from `git clone` to the first tool call, with OpenFGA already built. */
export async function measureFirstCall(): Promise<Target> {
  return onClone({}, async ({ url, folder, seconds }) => {
    const shown = run('node', ['src/cli/toolgate.mjs', 'quickstart', '--url', url], folder);
    const key = /^Key\s+(\S+)$/m.exec(shown)?.[1];
    if (!key) throw new Error('the quickstart showed no key');
    await callCalculator(url, key);
    return {
      name: 'clone to first tool call: seconds',
      value: seconds(),
      limit: 180,
      kind: 'at most',
    };
  });
}

/** Measures the time from `git clone` to the first healthy response with empty caches. */
export async function measureFirstStart(): Promise<Target> {
  const caches = mkdtempSync(join(tmpdir(), 'toolgate-caches-'));
  const env = {
    DOCKER_HOST: 'unix:///nowhere',
    npm_config_cache: join(caches, 'npm'),
    XDG_CACHE_HOME: join(caches, 'own'),
    GOCACHE: join(caches, 'go-build'),
    GOMODCACHE: join(caches, 'go-modules'),
  };
  try {
    return await onClone(env, async ({ url, seconds }) => {
      const { status } = await fetch(`${url}/health`);
      if (status !== 200) throw new Error(`GET /health returned ${status}`);
      return {
        name: 'clone to first healthy answer, cold: seconds',
        value: seconds(),
        limit: 180,
        kind: 'at most',
      };
    });
  } finally {
    // Go makes its module folders read-only.
    run('chmod', ['-R', 'u+w', caches], tmpdir());
    rmSync(caches, { recursive: true, force: true });
  }
}

interface Started {
  url: string;
  folder: string;
  /** Seconds since the clone began. */
  seconds(): number;
}

/**
 * Clones the repository, runs `npm start` until it is ready, and stops and removes it afterwards.
 */
async function onClone(
  env: Readonly<Record<string, string>>,
  measure: (started: Started) => Promise<Target>,
): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-clone-'));
  const began = performance.now();
  run('git', ['clone', '--quiet', ROOT, folder], tmpdir());
  const port = await freePort();
  const server = spawn('npm', ['start', '--silent'], {
    cwd: folder,
    env: {
      ...shellEnvironment(),
      PORT: String(port),
      NODE_COMPILE_CACHE: join(folder, '.data', 'compiled'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const seconds = () => (performance.now() - began) / 1_000;
    await untilReady(server, (line) =>
      console.log(`${seconds().toFixed(1).padStart(7)} s  ${line}`),
    );
    return await measure({ url: `http://localhost:${port}`, folder, seconds });
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the environment of the shell that started the benchmark, without the Node that npm and
 * the launcher added from this checkout: a first start has only the system's.
 */
function shellEnvironment(): NodeJS.ProcessEnv {
  const variables = Object.entries(process.env).filter(([name]) => !/^npm_(?!config_)/.test(name));
  const path = (process.env['PATH'] ?? '').split(delimiter);
  const systemFolders = path.filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(variables), PATH: systemFolders.join(delimiter) };
}

function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args[0]}: ${stdout}${stderr}`);
  return stdout;
}

/** Waits for the ready line of `npm start`, and shows each line until then. */
function untilReady(server: ReturnType<typeof spawn>, show: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let isReady = false;
    server.once('exit', (code) => reject(new Error(`npm start ended with ${code}`)));
    createInterface({ input: server.stdout! }).on('line', (line) => {
      if (!isReady) show(line);
      if (!line.startsWith('toolgate is ready')) return;
      isReady = true;
      resolve();
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
  if (!text.includes('42')) throw new Error(`the first call returned ${text}`);
}
