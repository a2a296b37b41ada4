import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { composeProject } from '../../stack/compose.ts';
import { readSource } from '../../stack/source.ts';
import { calculate } from '../integration/mcp/key-holder.ts';
import { launch, newFolder } from '../support/servers/npm-start.ts';
import type { Env } from '../support/servers/npm-start.ts';
import { createProxy } from '../support/servers/proxy.ts';
import { createKey, expectCall } from './create-key.ts';
import { docker, DOCKER_HOST, listContainers, removeProject, requireEngine } from './engine.ts';

requireEngine();

test('a start runs its servers in Docker, and the next start serves the same keys', async () => {
  const { start, listRunning } = useFolder();
  const first = await start();
  const key = await createKey(first.url);
  const whileServing = listRunning();

  const ended = await first.stop('SIGTERM');
  const afterwards = listRunning();
  const second = await start();

  expect(whileServing).toHaveLength(3);
  expect([ended, afterwards]).toEqual([0, []]);
  await expectCall(second.url, key);
});

test('a start after a SIGKILL serves the same keys', async () => {
  const { start } = useFolder();
  const first = await start();
  const key = await createKey(first.url);

  await first.stop('SIGKILL');
  const second = await start();

  await expectCall(second.url, key);
});

test('a start that is stopped while its containers start leaves none running', async () => {
  const { env, listRunning } = useFolder();
  const start = launch(env);
  await expect.poll(listRunning, { timeout: 60_000 }).not.toEqual([]);

  await start.stop('SIGINT');

  expect(start.output()).not.toContain('ready');
  await expect.poll(listRunning, { timeout: 40_000, interval: 200 }).toEqual([]);
});

test('starts in two folders have their own servers and keys', async () => {
  const one = useFolder();
  const other = useFolder();
  const [first, second] = await Promise.all([one.start(), other.start()]);

  const key = await createKey(first.url);

  expect(one.listRunning()).toHaveLength(3);
  expect(other.listRunning()).toHaveLength(3);
  await expectCall(first.url, key);
  await expect(calculate(second.url, key)).rejects.toThrow(/401|Unauthorized/);
});

test('a deleted data folder starts over with new keys', async () => {
  const { folder, start } = useFolder();
  const first = await start();
  const key = await createKey(first.url);
  await first.stop('SIGTERM');

  rmSync(folder, { recursive: true });
  const second = await start();
  useProject(folder);

  await expect(calculate(second.url, key)).rejects.toThrow(/401|Unauthorized/);
});

test('when the engine dies, the gateway reports 503, and starts fail without losing data until it is back', async () => {
  const { env, engine } = await useEngine();
  const { folder, listRunning, start } = useFolder(env);
  const first = await start();
  const key = await createKey(first.url);

  engine.down();
  docker('kill', ...listRunning());
  const health = () => fetch(`${first.url}/health`).then(({ status }) => status);
  await expect.poll(health, { timeout: 20_000 }).toBe(503);
  const ended = await first.stop('SIGTERM');
  const refused = launch({ ...env, DATA_DIR: folder, PORT: '0' });
  const code = await refused.exited;
  engine.pass();
  const again = await start();

  expect(ended).toBe(0);
  expect(code).toBe(1);
  expect(refused.output()).toBe(
    `toolgate: The data of ${folder} is in Docker, which does not respond: ` +
      'fix Docker, or set DATA_DIR.\n',
  );
  await expectCall(again.url, key);
});

test('a hanging engine delays neither shutdown nor the next start for long', async () => {
  const { env, engine } = await useEngine();
  const { start } = useFolder(env);
  const first = await start();
  const key = await createKey(first.url);

  engine.stall();
  const since = Date.now();
  const ended = await first.stop('SIGTERM');
  engine.pass();
  const again = await start();

  expect(ended).toBe(0);
  expect(Date.now() - since).toBeLessThan(50_000);
  await expectCall(again.url, key);
});

test('without the Docker client, a start says so and uses local programs', async () => {
  const { env, folder } = useFolder();
  const start = launch({ ...env, PATH: newFolder() });

  await start.exited;

  expect(start.output()).toContain('Docker responds but');
  expect(readSource(folder)).not.toBe('docker');
});

/** Returns a proxy of the engine that can die and hang, and the environment that selects it. */
async function useEngine() {
  const engine = await createProxy(DOCKER_HOST || 'unix:///var/run/docker.sock');
  onTestFinished(engine.close);
  return { engine, env: { DOCKER_HOST: engine.url } };
}

function useFolder(overrides: Env = {}) {
  const folder = newFolder();
  const env: Env = {
    HOME: process.env['HOME'] ?? '',
    DOCKER_HOST,
    DATA_DIR: folder,
    PORT: '0',
    LOG_LEVEL: 'silent',
    ...overrides,
  };
  const project = useProject(folder);
  const listRunning = () => listContainers(`label=com.docker.compose.project=${project}`);
  const start = async () => {
    const started = launch(env);
    const url = await started.ready();
    expect(readSource(folder), started.output()).toBe('docker');
    return { ...started, url };
  };
  return { env, folder, listRunning, start };
}

/** Removes the folder's Compose project after the test; its name depends on the folder's secret. */
function useProject(folder: string): string {
  const project = composeProject(folder);
  onTestFinished(() => removeProject(project));
  return project;
}
