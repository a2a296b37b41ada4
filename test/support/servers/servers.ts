import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bringUp } from '../../../src/stack/stack.ts';
import type { Stack } from '../../../src/stack/stack.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** An administrator's URL; each test file creates a database of its own from it. */
    postgresUrl: string;
    redisUrl: string;
    openfgaApiUrl: string;
    openfgaApiToken: string;
    /** '' when OpenFGA was given by URL. */
    openfgaMetricsUrl: string;
  }
}

type Shared = { stack: Promise<Stack>; users: number };

// Each project loads this file anew, so what they share hangs on the process.
const place: { [key: symbol]: Shared | undefined } = globalThis;
const key = Symbol.for('toolgate.test.stack');

/** Brings the servers up once for all projects that need them, and down after the last. */
export async function setup(project: TestProject): Promise<void> {
  const shared = (place[key] ??= { stack: start(), users: 0 });
  shared.users += 1;
  const stack = await shared.stack;
  project.provide('postgresUrl', stack.databaseUrl);
  project.provide('redisUrl', stack.redisUrl);
  project.provide('openfgaApiUrl', stack.openfgaApiUrl);
  project.provide('openfgaApiToken', stack.openfgaApiToken ?? '');
  project.provide('openfgaMetricsUrl', stack.openfgaMetricsUrl ?? '');
}

export async function teardown(): Promise<void> {
  const shared = place[key];
  if (shared === undefined) return;
  shared.users -= 1;
  if (shared.users > 0) return;
  place[key] = undefined;
  const stack = await shared.stack;
  await stack.stop();
}

function start(): Promise<Stack> {
  // A launcher killed by SIGKILL only closes the channel; the tests then have no one to tell.
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
  return bringUp({
    env: process.env,
    dataDir: mkdtempSync(join(tmpdir(), 'toolgate-test-')),
    purpose: 'test',
    progress: (line) => console.log(line),
  });
}
