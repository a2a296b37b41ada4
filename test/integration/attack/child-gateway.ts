import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../support/servers/free-port.ts';
import type { World } from '../../support/worlds/world.ts';
import { childEnvironment } from '../../support/servers/child-environment.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

export interface ChildGateway {
  url: string;
  /** Null while the process is running. */
  exit(): { code: number | null; signal: string | null } | null;
  /** Everything that the process has written to stdout and stderr. */
  output(): string;
  stop(): Promise<void>;
}

/** Starts a gateway in its own process, for attacks that may crash it and for reading its log. */
export async function startChildGateway(
  world: World,
  env: Record<string, string> = {},
): Promise<ChildGateway> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let text = '';
  const state: { exit: ReturnType<ChildGateway['exit']> } = { exit: null };
  const child = spawn(process.execPath, [MAIN], {
    env: { ...childEnvironment, ...world.env, PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  const ended = new Promise<void>((done) => {
    child.once('exit', (code, signal) => {
      state.exit = { code, signal };
      done();
    });
  });
  const deadline = Date.now() + 60_000;
  while (!(await isAlive(url))) {
    if (state.exit !== null || Date.now() > deadline) throw new Error(`no gateway: ${text}`);
    await wait(100);
  }
  return {
    url,
    exit: () => state.exit,
    output: () => text,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const isAlive = (url: string) =>
  fetch(`${url}/health/live`).then(
    ({ ok }) => ok,
    () => false,
  );
