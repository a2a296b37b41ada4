import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { inspectorProgram } from '../../../support/clients/inspector.ts';
import { installClients } from '../../../support/clients/installed.ts';
import { mcpRemoteClient } from '../../../support/clients/mcp-remote-client.ts';
import { runSigningIn } from '../../../support/clients/signing-in.ts';
import { freePort } from '../../../support/servers/free-port.ts';
import { createRegisteredWorld } from './registered-world.ts';
import type { RegisteredWorld } from './registered-world.ts';

const isInstalled = await installClients();

let world: RegisteredWorld;
beforeAll(async () => {
  world = await createRegisteredWorld();
});
afterAll(() => world?.close());

/** Creates a home folder for one test, in which programs store tokens. */
async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'toolgate-oauth-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

const JWT = /eyJ[\w-]+\.[\w-]+\.[\w-]+/;

/** Replaces the access tokens that a program stored by expired ones; returns their number. */
async function expireTokens(home: string): Promise<number> {
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  let count = 0;
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const text = await readFile(file, 'utf8');
    const [token] = JWT.exec(text) ?? [];
    if (token === undefined) continue;
    count += 1;
    await writeFile(file, text.replaceAll(token, await world.expired(token)));
  }
  return count;
}

/** Runs a program, and counts how often it sends the person to the browser. */
async function run(argv: readonly string[], env: Record<string, string>) {
  const visits: URL[] = [];
  const answer = await runSigningIn(
    argv,
    (url) => {
      visits.push(url);
      return world.visit(url);
    },
    env,
  );
  return { ...answer, visits: visits.length };
}

test.skipIf(!isInstalled).each(['public', 'confidential'] as const)(
  'mcp-remote signs in as a registered %s client, and renews its expired token',
  async (type) => {
    const home = await newHome();
    const port = await freePort();
    const { id, secret } = await world.register({
      ...{ type, redirect_uri: 'http://localhost/oauth/callback' },
    });
    const information = { client_id: id, ...(secret === null ? {} : { client_secret: secret }) };
    const argv = [
      ...[mcpRemoteClient, world.endpoint, String(port), '--allow-http'],
      ...['--transport', 'http-only', '--static-oauth-client-info', JSON.stringify(information)],
    ];
    const env = { HOME: home, MCP_REMOTE_CONFIG_DIR: home };

    const first = await run(argv, env);
    expect(first, first.output).toMatchObject({ code: 0, visits: 1 });
    expect(first.output).toContain('"name": "calculator"');
    expect(await expireTokens(home)).toBe(1);
    const second = await run(argv, env);
    expect(second, second.output).toMatchObject({ code: 0, visits: 0 });
    expect(second.output).toContain('"name": "calculator"');
  },
);

test.each(['public', 'confidential'] as const)(
  'the Inspector’s command line signs in as a registered %s client, and renews its expired token',
  async (type) => {
    const home = await newHome();
    const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
    const { id, secret } = await world.register({
      ...{ type, redirect_uri: 'http://127.0.0.1/oauth/callback' },
    });
    const argv = [
      ...[inspectorProgram, '--cli', '--server-url', world.endpoint, '--transport', 'http'],
      ...['--client-id', id, ...(secret === null ? [] : ['--client-secret', secret])],
      ...['--callback-url', callback, '--method', 'tools/call'],
      ...['--tool-name', 'calculator', '--tool-arg', 'expression=6 * 7'],
    ];
    // It only signs in where it may try to open a browser.
    const env = {
      ...{ HOME: home, MCP_STORAGE_DIR: home, MCP_AUTO_OPEN_ENABLED: 'true' },
      MCP_INSPECTOR_SECRET_STORE: 'file',
    };

    const first = await run(argv, env);
    expect(first, first.output).toMatchObject({ code: 0, visits: 1 });
    expect(JSON.parse(first.stdout)).toMatchObject(world.called);
    expect(await expireTokens(home)).toBe(1);
    const second = await run(argv, env);
    expect(second, second.output).toMatchObject({ code: 0, visits: 0 });
    expect(JSON.parse(second.stdout)).toMatchObject(world.called);
  },
);
