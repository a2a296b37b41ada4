import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { test as base } from 'vitest';
import { builtProgram } from '../../../stack/openfga-build.mjs';
import { isAlive } from '../../../stack/process-identity.ts';
import type { EndableProcess } from '../../../stack/process-identity.ts';
import { findProgram } from '../../../stack/find-program.mjs';
import { createDataFolder } from './data-folder.ts';

const script = fileURLToPath(new URL('stack-child.ts', import.meta.url));

// Removes configured servers and Docker, which would hide the local programs under test.
const env = { ...process.env, DOCKER_HOST: 'unix:///nowhere/docker.sock' };
for (const name of ['DATABASE_URL', 'REDIS_URL', 'OPENFGA_API_URL'])
  Reflect.deleteProperty(env, name);

const locals = ['postgres'];
if (findProgram(['redis-server', 'valkey-server'], env) !== null) locals.push('redis');
if (existsSync(builtProgram(env))) locals.push('openfga');

/** The servers this machine can run without Docker. */
const LOCAL_SERVERS = locals.join(',');

type StartedStack = { process: ChildProcess; urls: Record<string, string> };
type Overrides = Record<string, string>;
type Purpose = 'local' | 'test';
type Start = (
  folder: string,
  purpose: Purpose,
  overrides?: Overrides,
  needs?: string,
) => Promise<StartedStack>;
type Refuse = (folder: string, needs: string, overrides?: Overrides) => Promise<string>;

// oxlint-disable no-empty-pattern -- vitest reads what a fixture needs from its first argument.
/** Provides folders and processes that are removed after the test, regardless of its outcome. */
export const test = base.extend<{ newFolder: () => string; start: Start; refuse: Refuse }>({
  newFolder: async ({}, use) => {
    const folders: string[] = [];
    await use(() => {
      folders.push(createDataFolder('act'));
      return folders.at(-1) ?? '';
    });
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  },

  start: async ({}, use) => {
    const children: ChildProcess[] = [];
    await use(async (folder, purpose, overrides = {}, needs = LOCAL_SERVERS) => {
      const child = launch(folder, purpose, needs, overrides);
      children.push(child);
      return { process: child, urls: JSON.parse(await firstLine(child)) };
    });
    for (const child of children) await end(child);
  },

  refuse: async ({}, use) => {
    await use(async (folder, needs, overrides = {}) => {
      const child = launch(folder, 'test', needs, overrides);
      const errorOutput = text(child.stderr ?? []);
      child.stdout?.once('data', () => void child.kill('SIGTERM'));
      return (await errorOutput).trim();
    });
  },
});

/** Reads the processes a stack has recorded. */
export function readServers(folder: string): EndableProcess[] {
  return JSON.parse(readFileSync(join(folder, 'processes.json'), 'utf8'));
}

export function countAlive(servers: EndableProcess[]): number {
  return servers.filter(isAlive).length;
}

/** Runs one statement, adding `SELECT` unless it is a `CREATE`, and returns the number of rows. */
export async function ask(url: string | undefined, statement: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const sql = statement.startsWith('CREATE') ? statement : `SELECT ${statement}`;
    return (await client.query(sql)).rows.length;
  } finally {
    await client.end();
  }
}

function launch(folder: string, purpose: Purpose, needs: string, overrides: Overrides) {
  return spawn(process.execPath, [script, folder, purpose, needs], {
    env: { ...env, ...overrides },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let errorOutput = '';
    child.stderr?.on('data', (chunk) => void (errorOutput += String(chunk)));
    child.stdout?.once('data', (chunk) => resolve(String(chunk)));
    child.once('exit', () => reject(new Error(`The stack did not start: ${errorOutput}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => void child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}
