// Require a Docker engine with the images; skipped with the reason otherwise.
import { execFileSync } from 'node:child_process';
import { beforeEach, expect, onTestFinished } from 'vitest';
import { composeProject } from '../../../stack/compose.ts';
import { IMAGES } from '../../../stack/docker.mjs';
import { ask, countAlive, readServers, test } from '../../support/servers/stack-fixture.ts';

// The fixture hides the engine; this restores its address, where '' is the default one.
const engine = { DOCKER_HOST: process.env['DOCKER_HOST'] ?? '' };
const ALL = 'postgres,redis,openfga';
const missing = findMissing();
beforeEach(({ skip }) => skip(missing !== '', missing));

test('rows in containers survive a SIGKILL and an immediate restart; SIGTERM stops the containers', async ({
  newFolder,
  start,
}) => {
  const folder = newFolder();
  const project = projectOf(folder);
  const killed = await start(folder, 'local', engine, ALL);
  await ask(killed.urls['databaseUrl'], 'CREATE TABLE kept AS SELECT 1 AS row');

  killed.process.kill('SIGKILL');
  const next = await start(folder, 'local', engine, ALL);
  const kept = await ask(next.urls['databaseUrl'], 'FROM kept');
  next.process.kill('SIGTERM');

  expect(kept).toBe(1);
  const listRunning = () => listContainers(`label=com.docker.compose.project=${project}`);
  await expect.poll(listRunning, { timeout: 20_000, interval: 200 }).toEqual([]);
}, 120_000);

test('a data folder created without Docker keeps its rows when an engine becomes available', async ({
  newFolder,
  start,
}) => {
  const folder = newFolder();
  projectOf(folder);
  const local = await start(folder, 'local');
  await ask(local.urls['databaseUrl'], 'CREATE TABLE kept AS SELECT 1 AS row');
  const former = readServers(folder);
  local.process.kill('SIGTERM');
  await expect.poll(() => countAlive(former), { timeout: 20_000 }).toBe(0);

  const next = await start(folder, 'local', engine);

  expect(await ask(next.urls['databaseUrl'], 'FROM kept')).toBe(1);
}, 60_000);

// After a SIGKILL, Ryuk removes them along with those of every run it serves.
test('containers of a test run are removed at its end', async ({ newFolder, start }) => {
  const stack = await start(newFolder(), 'test', engine, ALL);
  const ports = ['databaseUrl', 'redisUrl', 'openfgaApiUrl'].map(
    (name) => new URL(stack.urls[name] ?? '').port,
  );
  const ids = ports.flatMap((port) => listContainers(`publish=${port}`));

  stack.process.kill('SIGTERM');

  expect(ids).toHaveLength(3);
  const listLeft = () => ids.flatMap((id) => listContainers(`id=${id}`, '--all'));
  await expect.poll(listLeft, { timeout: 30_000, interval: 200 }).toEqual([]);
}, 60_000);

/** Returns why these tests cannot run here, or ''. */
function findMissing(): string {
  try {
    docker('version');
  } catch {
    return 'no Docker engine answers';
  }
  try {
    docker('compose', 'version');
    docker('image', 'inspect', ...Object.values(IMAGES));
    return '';
  } catch {
    return 'Docker lacks Compose or an image of docker-compose.yml';
  }
}

/** Returns a folder's Compose project; removes it with its volumes after the test. */
function projectOf(folder: string): string {
  const project = composeProject(folder);
  onTestFinished(() => {
    docker('compose', '-p', project, 'down', '--volumes', '--timeout', '1');
  });
  return project;
}

function listContainers(filter: string, ...options: string[]): string[] {
  const said = docker('ps', '--quiet', '--no-trunc', '--filter', filter, ...options);
  return said.split('\n').filter(Boolean);
}

function docker(...args: string[]): string {
  return execFileSync('docker', args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 20_000,
  }).toString();
}
