import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { askAs, createOrganization } from '../../support/people/organizations.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { createKeyHolder, toolId } from '../mcp/key-holder.ts';

const { world, gateway } = await useGateway();
const holder = await createKeyHolder(world, gateway);
await holder.select(['hash']);

const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

/** Runs `toolgate explain …` as an operator would. */
async function explain(...args: string[]) {
  const env = { PATH: process.env['PATH'], ...world.env };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [CLI, 'explain', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

test('toolgate explain prints why a key may or may not call a tool', async () => {
  const name = `agent of ${holder.account_id}`;
  const { id, secret } = await holder.createKey({ name, mcp_capabilities: ['tools'] });

  const allowed = await explain(name, '--tool', 'hash');
  const denied = await explain(id, '--tool', 'uuid');
  const unknownKey = await explain('nobody', '--tool', 'hash');

  expect(allowed).toMatchObject({ code: 0, stderr: '' });
  expect(allowed.stdout).toMatch(/^allow\n {2}allow {2}credential {2}usable\n/);
  expect(allowed.stdout).toContain(
    `path: api_key:${id} declared_tools account:${holder.account_id}`,
  );
  expect(denied.code).toBe(1);
  expect(denied.stdout).toMatch(/^deny\n/);
  expect(denied.stdout).toMatch(/ {2}deny {3}selection {3}selected\n +selected: false\n/);
  expect((await explain(secret, '--tool', 'hash')).stderr).toBe(
    'toolgate: give the name or the id of the key, not its secret\n',
  );
  expect(unknownKey).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'toolgate: no key has the name or id "nobody"\n',
  });
}, 120_000);

test('toolgate explain prints why a key of an organization may or may not call a tool', async () => {
  const { id } = await createOrganization(holder);
  const path = `/api/organizations/${id}`;
  const selected = {
    tools: ['hash', 'uuid'].map(toolId),
    organization_wide_tools: [toolId('hash')],
    ...{ platform_prompts: [], organization_wide_prompts: [] },
  };
  await askAs(holder, { method: 'PUT', path: `${path}/mcp-settings`, body: selected });
  const name = `robot of ${id}`;
  const body = { name, mcp_capabilities: ['tools'] };
  const { body: key } = await askAs<{ id: string }>(holder, { path: `${path}/keys`, body });

  const allowed = await explain(name, '--tool', 'hash');
  const denied = await explain(key.id, '--tool', 'uuid');
  const withoutCapability = await explain(name, '--prompt', 'summarize');

  expect(allowed).toMatchObject({ code: 0, stderr: '' });
  for (const relation of ['bearer', 'declared_tools'])
    expect(allowed.stdout).toContain(`path: org_key:${key.id} ${relation} service:${id}.${key.id}`);
  expect(allowed.stdout).toMatch(/ {2}allow {2}selection {3}exposed\n/);
  expect(denied.code).toBe(1);
  expect(denied.stdout).toMatch(/^deny\n/);
  expect(denied.stdout).toMatch(/ {2}allow {2}selection {3}selected\n/);
  expect(denied.stdout).toMatch(/ {2}deny {3}selection {3}exposed\n/);
  expect(denied.stdout).toMatch(/ +teams: none\n +exposed_by: none\n/);
  expect(withoutCapability.stdout).toContain(
    `missing: org_key:${key.id} declared_prompts service:${id}.${key.id}`,
  );
}, 120_000);
