import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { afterAll, expect, test } from 'vitest';
import { SeedRefused } from '../../../src/seed/seed.ts';
import type { Secret, Written } from '../../../src/seed/seed.ts';
import { connectSdkV2 } from '../../support/clients/sdk-v2.ts';
import { createPerson } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();
const folder = mkdtempSync(join(tmpdir(), 'toolgate-seed-'));
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

/** Runs `toolgate seed …` as an operator would. */
async function seed(...args: string[]) {
  const env = { PATH: process.env['PATH'], ...world.env };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [CLI, 'seed', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

function save(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** A file with every kind of entry; `prefix` keeps the tests apart. */
const everything = (prefix: string) => `
people:
  - email: ${prefix}-ada@example.com
    first_name: Ada
    tools: [calculator]
    platform_prompts: [summarize]
    prompts:
      - name: greet
        messages: [{ role: user, content: Say hello }]
    resources:
      - { path: docs/readme.md, text: Read me }
    agents:
      - name: writer
        description: Writes
        instructions: Write.
        components:
          - { name: sums, content: Use the calculator., when: { tool: calculator } }
    keys:
      - name: laptop
        mcp_capabilities: [tools, prompts, agents]
        grants: [{ scope: personal, permissions: [can_view_prompts] }, { scope: ${prefix} }]
        tool_policy: { mode: whitelist, tools: [calculator] }
        prompt_policy: { mode: whitelist, prompts: [greet] }
        default_agent: writer
  - email: ${prefix}-ben@example.com
    keys:
      - { name: at work, mcp_capabilities: [tools], runs_in: ${prefix}, teams: [release] }
organizations:
  - name: ${prefix}
    owner: ${prefix}-ada@example.com
    roles: [{ name: Auditor, permissions: [can_view_organization_members] }]
    team_roles: [{ name: Developer, capabilities: [tools] }]
    members: [{ email: ${prefix}-ben@example.com, roles: [Auditor, Member] }]
    tools: [hash, uuid]
    organization_wide_tools: [hash]
    prompts: [{ name: handover, messages: [{ role: user, content: Hand over }] }]
    teams:
      - name: release
        title: Release
        members: [{ email: ${prefix}-ben@example.com, roles: [Developer] }]
        policies: { tool: { mode: whitelist, tools: [uuid] } }
        resources: [{ path: plan.md, text: The plan }]
    keys:
      - { name: ci, mcp_capabilities: [tools], teams: [release] }
    oauth_clients:
      - name: robot
        type: confidential
        grant_types: [client_credentials]
        allowed_scopes: [mcp_tools]
        teams: [release]
`;

/** Returns the secret that has a name. */
const secretOf = ({ secrets }: Pick<Written, 'secrets'>, name: string): Secret =>
  secrets.find((secret) => secret.name === name)!;

const toolsOf = async (secret: string) => {
  const client = await connectSdkV2('legacy', '2025-11-25')(`${gateway.url}/mcp`, secret);
  const names = await client.toolNames();
  await client.close();
  return names.filter((name) => !['setup', 'bootstrap', 'agent_context'].includes(name));
};

test('what a file describes exists, and its keys reach what it says', async () => {
  const written = await gateway.service.seeding.seed.apply(everything('acme'));

  expect(written.existing).toBe(0);
  expect(written.created).toHaveLength(17);
  expect(await toolsOf(secretOf(written, 'laptop').secret)).toEqual(['calculator']);
  expect(await toolsOf(secretOf(written, 'at work').secret)).toEqual(['hash', 'uuid']);
  expect(await toolsOf(secretOf(written, 'ci').secret)).toEqual(['hash', 'uuid']);
  const visitor = createPerson(gateway.url);
  const { secret: password } = secretOf(written, 'acme-ben@example.com');
  const login = { email: 'acme-ben@example.com', password };
  const { status } = await visitor.ask({ path: '/api/auth/login', body: login });
  expect(status).toBe(200);
  expect(secretOf(written, 'robot')).toMatchObject({ kind: 'client_secret', owner: 'acme' });
  expect(world.mailbox.emails).toEqual([]);
}, 240_000);

test('applying a file again creates nothing, and shows no secret', async () => {
  const text = everything('again');
  const first = await gateway.service.seeding.seed.apply(text);
  const second = await gateway.service.seeding.seed.apply(text);

  expect(second).toEqual({ created: [], existing: first.created.length, secrets: [] });
}, 240_000);

test('every problem is reported at once, with its line and column, and nothing is saved', async () => {
  const text = `people:
  - email: not an address
  - email: nobody@example.com
    colour: red
    keys:
      - name: laptop
        mcp_capabilities: [tolls]
        tool_policy: { mode: whitelist, tools: [calculater] }
        grants: [{ scope: Nowhere }]
    prompts:
      - name: greet
        messages: [{ role: user, content: Hello, tone: warm }]
organizations:
  - { name: Nameless, owner: someone@example.com }
`;

  expect(await refused(text)).toEqual([
    '2:5 people[0].email This is not a valid e-mail address.',
    '4:5 people[1].colour is not a known field',
    expect.stringMatching(/^7:28 people\[1\]\.keys\[0\]\.mcp_capabilities\[0\] must be one of/),
    '8:49 people[1].keys[0].tool_policy.tools[0] names no built-in tool: "calculater"',
    '9:20 people[1].keys[0].grants[0].scope names no organization: "Nowhere"',
    '12:50 people[1].prompts[0].messages[0].tone is not a known field',
    '14:23 organizations[0].owner names no person: "someone@example.com"',
  ]);
  expect(await world.query(`SELECT FROM account WHERE email LIKE 'nobody%'`)).toEqual([]);
});

test('a problem of the syntax has its position', async () => {
  expect(await refused('people:\n  - email: [a\n')).toEqual([expect.stringMatching(/^3:1 /)]);
  expect(await refused('people: []\npeople: []\n')).toEqual([
    expect.stringMatching(/^2:1 .*unique/),
  ]);
});

test('a rule that only the service can check undoes what was created before it', async () => {
  const text = everything('undone').replace(
    'mcp_capabilities: [tools], runs_in',
    'mcp_capabilities: [agents], runs_in',
  );

  expect(await refused(text)).toEqual([
    expect.stringMatching(/^27:45 people\[1\]\.keys\[0\]\.mcp_capabilities/),
  ]);
  expect(await world.query(`SELECT FROM account WHERE email LIKE 'undone%'`)).toEqual([]);
  expect(
    await world.query(`SELECT FROM organization WHERE name = 'undone' AND deleted_at IS NULL`),
  ).toEqual([]);
}, 240_000);

test('the command exits with 1 on a problem, and stores secrets for its user alone', async () => {
  const file = save('cli.yaml', everything('cli'));
  const bad = save('bad.yaml', 'people:\n  - email: a@example.com\n    age: 3\n');
  const secrets = join(folder, 'secrets.yaml');

  const checked = await seed(file, '--dry-run');
  const before = await world.query(`SELECT FROM account WHERE email LIKE 'cli-%'`);
  const refusal = await seed(bad);
  const done = await seed(file, '--secrets-out', secrets);
  const again = await seed(file, '--secrets-out', secrets);

  expect(checked).toEqual({ code: 0, stdout: `${file} is fine: 17 entries.\n`, stderr: '' });
  expect(before).toEqual([]);
  expect(refusal).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: `${bad}:3:5: people[0].age is not a known field\nNothing was saved.\n`,
  });
  expect(done).toEqual({ code: 0, stdout: 'Created 17 entries; 0 existed.\n', stderr: '' });
  expect(statSync(secrets).mode & 0o777).toBe(0o600);
  const stored = parse(readFileSync(secrets, 'utf8')) as Secret[];
  expect(await toolsOf(secretOf({ secrets: stored }, 'laptop').secret)).toEqual(['calculator']);
  expect(again).toMatchObject({ code: 1, stdout: '' });
  expect(again.stderr).toContain('must not exist yet');
}, 400_000);

/** Returns the problems of a file as lines. */
async function refused(text: string): Promise<string[]> {
  const error = await gateway.service.seeding.seed.apply(text).catch((thrown: unknown) => thrown);
  if (!(error instanceof SeedRefused)) throw error;
  return error.problems.map(({ line, column, path, message }) =>
    [`${line}:${column}`, path, message].filter((part) => part !== '').join(' '),
  );
}
