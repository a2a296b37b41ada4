import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, onTestFinished, test } from 'vitest';
import { useEmptyDatabase } from '../../support/servers/empty-database.ts';
import { launch, newFolder } from '../../support/servers/npm-start.ts';
import type { Env } from '../../support/servers/npm-start.ts';
import { calculate } from '../mcp/key-holder.ts';

const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

async function useServers(): Promise<Env> {
  const token = inject('openfgaApiToken');
  return {
    DATABASE_URL: (await useEmptyDatabase()).url,
    REDIS_URL: inject('redisUrl'),
    OPENFGA_API_URL: inject('openfgaApiUrl'),
    ...(token === '' ? {} : { OPENFGA_API_TOKEN: token }),
    DATA_DIR: newFolder(),
    LOG_LEVEL: 'silent',
    PORT: '0',
  };
}

/** Runs a `toolgate` command; returns stdout and stderr. */
const toolgate = (args: string[], settings: Env = {}) =>
  new Promise<string>((resolve) => {
    const env = { PATH: process.env['PATH'], ...settings };
    execFile(process.execPath, [CLI, ...args], { env }, (_, stdout, stderr) =>
      resolve(`${stdout}${stderr}`),
    );
  });

test('the next steps that a start prints lead to a tool call, even after a restart', async () => {
  const env = await useServers();
  const first = launch(env);
  const url = await first.ready();

  const output = await toolgate(['quickstart', '--url', url]);
  const [key = ''] = /sk_[0-9a-f-]{36}/.exec(output) ?? [];
  const called = await calculate(url, key);
  const second = launch(env);
  const refused = [await second.exited, second.output().trim()];
  const stopped = await first.stop('SIGINT');
  const again = launch({ ...env, PORT: new URL(url).port });
  const calledAgain = await calculate(await again.ready(), key);

  expect(first.output()).toContain(`Data and logs  ${env['DATA_DIR']}`);
  expect(first.output()).toContain(`Read the mail  ${url}/dev/mail`);
  expect(first.output()).toContain(`npx toolgate quickstart --url ${url}`);
  expect([called, calledAgain]).toMatchObject([{ result: 42 }, { result: 42 }]);
  expect(output.split(key), 'the key is shown once').toHaveLength(2);
  for (const client of [
    'Claude Code',
    'Claude Desktop',
    'Cursor',
    'VS Code',
    'Codex',
    'Gemini CLI',
  ])
    expect(output).toContain(`── ${client}`);
  expect(refused).toEqual([
    1,
    expect.stringMatching(/^toolgate: Another process \(\d+\) is already using .*\.$/),
  ]);
  expect(stopped).toBe(0);
  expect(await again.stop('SIGTERM')).toBe(0);
}, 180_000);

test('the secret files that a start creates are readable only by their owner', async () => {
  const env = await useServers();
  const started = launch(env);
  await started.ready();
  await started.stop('SIGTERM');

  const folder = env['DATA_DIR']!;
  const secret = readdirSync(folder).filter((name) => /secret|settings|token/.test(name));

  expect(secret).toEqual(expect.arrayContaining(['secrets-key', 'service-settings.json']));
  for (const name of secret) expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
}, 120_000);

test('a command run while a gateway is running uses the gateway’s settings, but not for another database', async () => {
  const env = await useServers();
  await launch(env).ready();

  const sameDatabase = await toolgate(['drift'], { ...env, SMTP_URL: '' });
  const other = await toolgate(['drift'], { ...env, DATABASE_URL: `${env['DATABASE_URL']}2` });

  expect(sameDatabase).toBe('No drift found.\n');
  expect(other).toContain('OPENFGA_STORE_ID is not set');
}, 120_000);

test.for([
  [
    'DATABASE_URL',
    'postgres://127.0.0.1:1/toolgate',
    'Cannot connect to PostgreSQL at 127.0.0.1:1',
  ],
  ['OPENFGA_API_URL', 'http://127.0.0.1:1', 'OpenFGA at http://127.0.0.1:1 is unreachable'],
] as const)(
  'an unreachable configured server is reported in one line: %s',
  async ([name, url, output]) => {
    const start = launch({ ...(await useServers()), [name]: url });

    expect(await start.exited).toBe(1);
    expect(start.output()).toMatch(new RegExp(`(^|\\n)toolgate: ${output}.* ECONNREFUSED .*\\n$`));
  },
);

test('if OpenFGA cannot confirm its store, no other store is created', async () => {
  const openfga = createHttpServer((request, response) => {
    response.statusCode = request.method === 'GET' ? 500 : 201;
    response.end(JSON.stringify({ id: 'another' }));
  }).listen(0, '127.0.0.1');
  await once(openfga, 'listening');
  onTestFinished(() => void openfga.close());
  const { port } = openfga.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const env: Env = { ...(await useServers()), OPENFGA_API_URL: url };
  const file = join(env['DATA_DIR']!, 'openfga-store-id');
  writeFileSync(file, 'the one');

  const start = launch(env);

  expect(await start.exited).toBe(1);
  expect(start.output()).toBe(`toolgate: OpenFGA at ${url} responded with HTTP 500\n`);
  expect(readFileSync(file, 'utf8')).toBe('the one');
});

test('a port in use is reported in one line, before anything is started', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  onTestFinished(() => void holder.close());
  const { port } = holder.address() as AddressInfo;
  const folder = newFolder();

  const start = launch({ DATA_DIR: folder, PORT: String(port) });

  expect(await start.exited).toBe(1);
  expect(start.output()).toBe(
    `toolgate: Port ${port} is already in use: stop the program that uses it, or set PORT.\n`,
  );
  expect(readdirSync(folder)).toEqual([]);
});

test('an invalid setting is reported in one line, before anything is started', async () => {
  const folder = newFolder();

  const start = launch({ DATA_DIR: folder, PORT: '0', SMTP_URL: 'http://mail.example.org' });

  expect(await start.exited).toBe(1);
  expect(start.output()).toMatch(/^toolgate: .*SMTP_URL.*\n$/);
  expect(readdirSync(folder)).toEqual([]);
});
