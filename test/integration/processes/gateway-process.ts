import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { freePort } from '../../support/servers/free-port.ts';
import { childEnvironment } from '../../support/servers/child-environment.ts';

const entry = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const START_MS = 30_000;

/** A `node src/main.ts` process, started as a deployment does. */
export interface GatewayProcess {
  url: string;
  port: number;
  child: ChildProcess;
  /** Everything written so far to stdout and stderr. */
  output(): string;
  stderr(): string;
  /** Resolves with the exit code, or with the signal that ended the process. */
  ended: Promise<number | string>;
  stop(): Promise<number | string>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Starts the process with this environment alone. */
function launch(env: Env, port: number): GatewayProcess {
  const child = spawn(process.execPath, [entry], {
    env: { ...childEnvironment, PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out: string[] = [];
  const errors: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => void out.push(String(chunk)));
  child.stderr.on('data', (chunk: Buffer) => void errors.push(String(chunk)));
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    child,
    output: () => out.join('') + errors.join(''),
    stderr: () => errors.join(''),
    ended,
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Starts a gateway and waits until it is healthy. */
export async function startProcess(env: Env, port?: number): Promise<GatewayProcess> {
  const gateway = launch(env, port ?? (await freePort()));
  const isEnded = () => gateway.child.exitCode !== null;
  for (const deadline = Date.now() + START_MS; ;) {
    const answer = await fetch(`${gateway.url}/health`).catch(() => null);
    if (answer?.status === 200) return gateway;
    if (isEnded() || Date.now() > deadline)
      throw new Error(`it did not start: ${gateway.output()}`);
    await sleep(100);
  }
}

/** Starts a gateway whose start must fail; returns its exit code and stderr. */
export async function expectStartFailure(
  env: Env,
): Promise<{ code: number | string; lines: string[] }> {
  const gateway = launch(env, await freePort());
  const code = await gateway.ended;
  return { code, lines: gateway.stderr().trim().split('\n') };
}
