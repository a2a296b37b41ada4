import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { IMAGES } from '../../stack/docker.mjs';
import { DOCKER_HOST, listContainers, requireEngine } from './engine.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
// A short file, which needs all three servers.
const FILE = 'test/integration/keys/credentials.test.ts';
const NEEDED = Object.keys(IMAGES);

requireEngine();

test('`npm test` uses servers in containers, and removes them at its end', async () => {
  const run = startRun();

  await expect.poll(run.servers, { timeout: 60_000 }).toEqual(NEEDED);
  const code = await run.ended;

  expect(run.printed()).toMatch(/^[1-9]\d* passed, 0 failed, 0 skipped$/m);
  expect(code).toBe(0);
  expect(run.servers()).toEqual([]);
});

test('the containers of a killed `npm test` are removed', async ({ skip }) => {
  skip(listContainers('label=org.testcontainers.ryuk').length > 0, 'Ryuk also serves another run');
  const run = startRun();
  await expect.poll(run.servers, { timeout: 60_000 }).toEqual(NEEDED);

  run.kill();
  await run.ended;

  await expect.poll(run.servers, { timeout: 40_000, interval: 500 }).toEqual([]);
});

/** Starts `npm test` in its own process group. */
function startRun() {
  const others = new Set(listServers().flatMap(({ ids }) => ids));
  const child = spawn('npm', ['test', '--', '--project', 'integration', FILE], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], DOCKER_HOST, NO_COLOR: '1' },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const kill = () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
  };
  onTestFinished(async () => {
    kill();
    await ended;
  });
  return {
    ended,
    kill,
    printed: () => printed,
    /** Returns the names of the servers that run in containers of this run. */
    servers: () =>
      listServers()
        .filter(({ ids }) => ids.some((id) => !others.has(id)))
        .map(({ name }) => name),
  };
}

function listServers() {
  return Object.entries(IMAGES).map(([name, image]) => ({
    name,
    ids: listContainers(`ancestor=${image}`, '--filter', 'label=org.testcontainers=true'),
  }));
}
