import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { clients, KEY_VARIABLE } from '../../../src/snippets/clients.ts';
import { oauthClientPresets } from '../../../src/snippets/oauth-clients.ts';
import { createCommandLine } from '../../support/clients/command-lines.ts';
import { installClients } from '../../support/clients/installed.ts';
import { runSigningIn } from '../../support/clients/signing-in.ts';
import { createKey } from '../../support/people/people.ts';
import { createRegisteredWorld } from '../oauth/peers/registered-world.ts';
import type { RegisteredWorld } from '../oauth/peers/registered-world.ts';

const isInstalled = await installClients();
const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

// These programs take seconds to start, and longer on a busy machine.
const TIMEOUT_MS = 180_000;

let world: RegisteredWorld;
beforeAll(async () => {
  world = await createRegisteredWorld();
});
afterAll(() => world?.close());

async function newCommandLine(variables: Record<string, string> = {}) {
  const home = await mkdtemp(join(tmpdir(), 'toolgate-agent-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return createCommandLine(home, variables);
}

/** Follows the snippet of a client: runs its command, or writes its file. */
async function configure(
  id: string,
  agent: ReturnType<typeof createCommandLine>,
  endpoint: string,
): Promise<string> {
  const { configuration } = clients.find((client) => client.id === id)!;
  const { place, language, text } = configuration!(endpoint);
  if (language === 'shell') return agent.run(text);
  const [, path = ''] = /~\/(\S+?),? ?(?:or|$)/.exec(place) ?? [];
  await agent.write(path, text);
  return '';
}

interface Listing {
  id: string;
  /** Lists the servers of the agent after it has connected to each. */
  list: string;
  connected: RegExp;
  /** What it prints for a key that was revoked; README's table has it. */
  refused: string;
}

const listing: readonly Listing[] = [
  {
    ...{ id: 'claude_code', list: 'claude mcp list', connected: /toolgate: .*✔ Connected/ },
    refused: 'Incompatible auth server: does not support dynamic client registration',
  },
  {
    ...{ id: 'opencode', list: 'opencode mcp list', connected: /toolgate connected/ },
    refused: 'Incompatible auth server: does not support dynamic client registration',
  },
  {
    ...{ id: 'gemini_cli', list: 'gemini mcp list', connected: /✓ toolgate: .* Connected/ },
    refused: 'Disconnected',
  },
];

// opencode's package is the program of one architecture.
const runnable = listing.filter(({ id }) => id !== 'opencode' || process.arch === 'x64');

test.skipIf(!isInstalled).each(runnable)(
  'the snippet of $id connects it; a revoked key does not, and README says what it prints',
  async ({ id, list, connected, refused }) => {
    const { id: keyId, secret } = await createKey(world.ada, { mcp_capabilities: ['tools'] });
    const agent = await newCommandLine({
      [KEY_VARIABLE]: secret,
      // The person trusts the folder, as the note of the snippet says.
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    });

    const printed = await configure(id, agent, world.endpoint);
    expect(printed).not.toContain(secret);
    expect(await agent.run(list)).toMatch(connected);

    await world.ada.person.ask({
      ...{ method: 'DELETE', path: `/api/keys/${keyId}`, headers: world.ada.bearer },
    });
    const after = await agent.run(list);
    expect(after).not.toMatch(connected);
    expect(after).toContain(refused);
    expect(readme).toContain(refused);
  },
  TIMEOUT_MS,
);

test.skipIf(!isInstalled)('Codex and Copilot CLI accept their snippets', async () => {
  const agent = await newCommandLine({ [KEY_VARIABLE]: 'sk_not-used' });
  await configure('codex', agent, world.endpoint);
  expect(JSON.parse(await jsonOf(agent.run('codex mcp get toolgate --json')))).toMatchObject({
    transport: { url: world.endpoint, env_http_headers: { 'X-API-Key': KEY_VARIABLE } },
  });
  expect(await configure('copilot_cli', agent, world.endpoint)).toContain(
    'Added server "toolgate"',
  );
  expect(await agent.run('copilot mcp list')).toContain('toolgate (http)');
});

/** Returns the JSON in an output that warnings precede. */
const jsonOf = async (output: Promise<string>) => {
  const text = await output;
  return text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
};

/** Registers a client as its preset says; returns its id and the steps for it. */
async function register(id: string) {
  const preset = oauthClientPresets(world.endpoint).find((one) => one.id === id)!;
  const client = await world.register({ redirect_uri: preset.redirect_uris[0]! });
  return {
    id: client.id,
    steps: preset.steps.map((step) => step.replace('YOUR_CLIENT_ID', client.id)),
  };
}

const codeIn = (step: string) => /`([^`]+)`/.exec(step)![1]!;

test.skipIf(!isInstalled)('Codex signs in as its preset says', async () => {
  const agent = await newCommandLine();
  const { steps } = await register('codex');
  const visits: URL[] = [];

  const { output } = await runSigningIn(
    agent.argvOf(codeIn(steps[0]!)).slice(1),
    (url) => {
      visits.push(url);
      return world.visit(url);
    },
    { ...agent.env, PATH: '' },
  );

  expect(visits).toHaveLength(1);
  expect(output).toContain('Successfully logged in');
});
