import type { TestProject } from 'vitest/node';
import { ensureDashboard } from '../../../stack/dashboard.ts';
import { startStack } from '../../../stack/stack.ts';
import type { Stack } from '../../../stack/stack.ts';
import { createDataFolder } from './data-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL with administrator rights; each test file creates its own database with it. */
    postgresUrl: string;
    redisUrl: string;
    openfgaApiUrl: string;
    openfgaApiToken: string;
    /** Empty if OpenFGA was given by URL. */
    openfgaMetricsUrl: string;
  }
}

type Shared = { stack: Promise<Stack>; users: number };

// Each project loads this file again, so shared state is stored on `globalThis`.
const registry: { [key: symbol]: Shared | undefined } = globalThis;
const key = Symbol.for('toolgate.test.stack');

/**
 * Starts the servers once for all projects that need them; `teardown` stops them after
 * the last of these projects.
 */
export async function setup(project: TestProject): Promise<void> {
  const shared = (registry[key] ??= { stack: start(), users: 0 });
  shared.users += 1;
  const stack = await shared.stack;
  project.provide('postgresUrl', stack.databaseUrl);
  project.provide('redisUrl', stack.redisUrl);
  project.provide('openfgaApiUrl', stack.openfgaApiUrl);
  project.provide('openfgaApiToken', stack.openfgaApiToken ?? '');
  project.provide('openfgaMetricsUrl', stack.openfgaMetricsUrl ?? '');
}

export async function teardown(): Promise<void> {
  const shared = registry[key];
  if (shared === undefined) return;
  shared.users -= 1;
  if (shared.users > 0) return;
  registry[key] = undefined;
  const stack = await shared.stack;
  await stack.stop();
}

async function start(): Promise<Stack> {
  // A SIGKILL of the launcher is visible only as a closed channel; there is no parent to report to.
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
  const progress = (line: string) => console.log(line);
  await ensureDashboard(progress);
  return startStack({
    env: process.env,
    dataDir: createDataFolder('test'),
    purpose: 'test',
    progress,
  });
}
