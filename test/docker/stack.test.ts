import { expect, onTestFinished } from 'vitest';
import { composeProject } from '../../stack/compose.ts';
import { ask, countAlive, readServers, test } from '../support/servers/stack-fixture.ts';
import { DOCKER_HOST, listContainers, removeProject, requireEngine } from './engine.ts';

// The fixture hides the engine; this restores its address.
const engine = { DOCKER_HOST };
const ALL = 'postgres,redis,openfga';

requireEngine();

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

// After a SIGKILL, Ryuk would remove them together with the containers of every run it serves.
test('containers of a test run are removed at its end', async ({ newFolder, start }) => {
  const stack = await start(newFolder(), 'test', engine, ALL);
  const ports = ['databaseUrl', 'redisUrl', 'openfgaApiUrl'].map(
    (name) => new URL(stack.urls[name] ?? '').port,
  );
  const ids = ports.flatMap((port) => listContainers(`publish=${port}`));

  stack.process.kill('SIGTERM');

  expect(ids).toHaveLength(3);
  const listRemaining = () => ids.flatMap((id) => listContainers(`id=${id}`, '--all'));
  await expect.poll(listRemaining, { timeout: 30_000, interval: 200 }).toEqual([]);
}, 60_000);

/** Returns a folder's Compose project; removes it after the test. */
function projectOf(folder: string): string {
  const project = composeProject(folder);
  onTestFinished(() => removeProject(project));
  return project;
}
