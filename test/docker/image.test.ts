import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { docker, skipReason, requireEngine } from './engine.ts';
import { createProject } from './project.ts';
import type { Project } from './project.ts';

// The first build of the gateway's image installs its packages.
const BUILD_MS = 900_000;

requireEngine();

let project: Project;
let image: string;
let databases = 0;

beforeAll(async () => {
  if (skipReason !== '') return;
  project = await createProject('toolgate-test-image');
  image = `${project.name}-gateway`;
  await project.compose('build', 'gateway');
  await project.compose('up', '--detach', 'redis', 'openfga');
}, BUILD_MS);

afterAll(() => {
  if (skipReason === '') project.remove();
});

test('the image runs as a user that may write its data but not its program', () => {
  const script = 'id -u; touch /data/a && echo data; touch /app/a || touch /app/src/main.ts';

  const printed = docker('run', '--rm', image, 'sh', '-c', `${script} || echo program`);

  expect(printed.trim().split('\n')).toEqual(['1000', 'data', 'program']);
});

test.for([
  ['with default options', []],
  ['with any user and a read-only file system', ['--user', '4242:4242', '--read-only']],
] as const)(
  'the image %s migrates, serves, reports healthy and shuts down cleanly',
  async ([, options]) => {
    const settings = [...(await useServers()), ...options];
    const migrated = docker('run', '--rm', ...settings, image, 'node', 'src/migrate.ts');
    const id = docker('run', '--detach', '--publish', '127.0.0.1::7070', ...settings, image).trim();
    onTestFinished(() => void docker('rm', '--force', '--volumes', id));
    const inspect = (format: string) => docker('inspect', '--format', format, id).trim();

    const health = () => inspect('{{.State.Health.Status}}');
    await expect.poll(health, { timeout: 60_000, interval: 500 }).toBe('healthy');
    const [address] = docker('port', id, '7070').trim().split('\n');
    const { status } = await fetch(`http://${address}/health`);
    docker('stop', '-t', '15', id);

    expect(migrated).toBe('The database and the authorization model are up to date.\n');
    expect(status).toBe(200);
    expect(inspect('{{.State.ExitCode}}')).toBe('0');
  },
);

/**
 * Returns `docker run` options that select the project's servers, with a new database and store.
 */
async function useServers(): Promise<string[]> {
  const database = `image_${(databases += 1)}`;
  await project.compose('exec', '-T', 'postgres', 'createdb', '-U', 'toolgate', database);
  const openfga = (await project.compose('port', 'openfga', '8080')).trim();
  const stored = await fetch(`http://${openfga}/stores`, {
    method: 'POST',
    headers: { authorization: 'Bearer toolgate', 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'toolgate' }),
  });
  const { id } = (await stored.json()) as { id: string };
  const env = {
    PUBLIC_URL: 'http://localhost:7070',
    DATABASE_URL: `postgres://toolgate:toolgate@postgres:5432/${database}`,
    REDIS_URL: 'redis://:toolgate@redis:6379',
    OPENFGA_API_URL: 'http://openfga:8080',
    OPENFGA_API_TOKEN: 'toolgate',
    OPENFGA_STORE_ID: id,
    SMTP_URL: 'smtp://localhost',
    SECRETS_KEY: 'x'.repeat(32),
  };
  const pairs = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  return ['--network', `${project.name}_default`, ...pairs];
}
