import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { calculate } from '../integration/mcp/key-holder.ts';
import { createKey, expectCall } from './create-key.ts';
import {
  crashEngine,
  docker,
  ENGINE_PID_FILE,
  listContainers,
  skipReason,
  requireEngine,
} from './engine.ts';
import { createProject } from './project.ts';
import type { Project } from './project.ts';

// The first build of the gateway's image installs its packages.
const BUILD_MS = 900_000;
const SERVERS = ['postgres', 'redis', 'openfga'];

requireEngine();

let project: Project;
let key: string;

beforeAll(async () => {
  if (skipReason !== '') return;
  project = await createProject('toolgate-test-a');
  await project.compose('build');
  await project.up();
  key = await createKey(project.url);
}, BUILD_MS);

afterAll(() => {
  if (skipReason === '') project.remove();
});

test('every port is published on loopback only', async () => {
  for (const service of ['gateway', ...SERVERS]) {
    const ports = docker('port', await project.container(service))
      .trim()
      .split('\n');
    for (const port of ports) expect(port, service).toMatch(/^\d+\/tcp -> 127\.0\.0\.1:\d+$/);
  }
});

test('a second `up` keeps the running containers', async () => {
  const list = () => listContainers(`label=com.docker.compose.project=${project.name}`).toSorted();
  const before = list();

  await project.up();

  expect(before).toHaveLength(4);
  expect(list()).toEqual(before);
  await expectCall(project.url, key);
});

test('a stop shuts the gateway down cleanly, and a start serves the same keys', async () => {
  const gateway = await project.container('gateway');

  await project.compose('stop');
  const state = docker('inspect', '--format', '{{.State.ExitCode}}', gateway).trim();
  await project.compose('start');
  await project.untilHealthy();

  expect(state).toBe('0');
  await expectCall(project.url, key);
});

test('a gateway started long before its servers becomes healthy once they run', async () => {
  const gateway = await project.container('gateway');
  const restarts = () => Number(docker('inspect', '--format', '{{.RestartCount}}', gateway));
  await project.compose('stop');

  docker('start', gateway);
  await expect.poll(restarts, { timeout: 60_000, interval: 500 }).toBeGreaterThan(5);
  for (const service of SERVERS) docker('start', await project.container(service));
  await project.untilHealthy();

  await expectCall(project.url, key);
});

test('a restart of all containers at once serves the same keys', async () => {
  await project.compose('stop');

  const ids = ['gateway', ...SERVERS].map((service) => project.container(service));
  docker('start', ...(await Promise.all(ids)));
  await project.untilHealthy();

  await expectCall(project.url, key);
});

test('an `up` after everything was killed serves the same keys', async () => {
  await project.compose('kill');

  await project.up();

  await expectCall(project.url, key);
});

test('a volume outlives its containers; without it, the key is unknown', async () => {
  await project.compose('down');
  await project.up();
  await expectCall(project.url, key);

  await project.compose('down', '--volumes');
  await project.up();

  await expect(calculate(project.url, key)).rejects.toThrow(/401|Unauthorized/);
  key = await createKey(project.url);
});

test('a new password for Redis or OpenFGA is used; one for PostgreSQL fails and leaves its data intact', async () => {
  await project.up({ REDIS_PASSWORD: 'other', OPENFGA_API_TOKEN: 'other' });
  await expectCall(project.url, key);

  const changed = project.up({ POSTGRES_PASSWORD: 'other' });
  await expect(changed).rejects.toThrow('openfga-database');
  const log = await project.compose('logs', 'openfga-database');
  await project.up();

  expect(log).toContain('password authentication failed for user "toolgate"');
  await expectCall(project.url, key);
});

test('a password changed in PostgreSQL first is used by the next `up`', async () => {
  const change = async (password: string) => {
    const statement = `ALTER ROLE toolgate PASSWORD '${password}'`;
    await project.compose('exec', '-T', 'postgres', 'psql', '-U', 'toolgate', '-c', statement);
  };

  await change('other');
  await project.up({ POSTGRES_PASSWORD: 'other' });
  await expectCall(project.url, key);

  await change('toolgate');
  await project.up();
  await expectCall(project.url, key);
});

test('an `up` after the engine crashed serves the same keys', async ({ skip }) => {
  skip(ENGINE_PID_FILE === '', 'only an engine started by `.ci/engine` may be killed');
  const postgres = await project.container('postgres');

  await crashEngine();
  const stopped = docker('inspect', '--format', '{{.State.Running}}', postgres).trim();
  await project.up();

  expect(stopped).toBe('false');
  await expectCall(project.url, key);
});

test('a second project has its own data; a port conflict does not disturb the first', async () => {
  const second = await createProject('toolgate-test-b');
  onTestFinished(second.remove);

  const port = new URL(project.url).port;
  await expect(second.up({ PORT: port })).rejects.toThrow(/already|in use/);
  await second.up();

  await expect(calculate(second.url, key)).rejects.toThrow(/401|Unauthorized/);
  await expectCall(second.url, await createKey(second.url));
  await expectCall(project.url, key);
});
