import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { createDataFolder } from './data-folder.ts';

const START = fileURLToPath(new URL('../../../stack/start.ts', import.meta.url));
const START_MS = 60_000;

export type Env = Record<string, string>;

/** Creates a folder that is removed after the test. */
export function newFolder(): string {
  const folder = createDataFolder('start');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs `npm start` with only this environment and the test's PATH. */
export function launch(env: Env) {
  const child = spawn(process.execPath, [START], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  const exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
  });
  return {
    output: () => output,
    exited,
    async ready(): Promise<string> {
      await expect.poll(() => output, { timeout: START_MS }).toMatch(/toolgate is ready: \S+/);
      return /toolgate is ready: (\S+)/.exec(output)![1]!;
    },
    stop(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL') {
      child.kill(signal);
      return exited;
    },
  };
}
