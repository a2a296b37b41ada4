import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { toolId } from '../mcp/key-holder.ts';
import { createAcme, createKey } from './acme.ts';

const teams = await useTeams();
const command = fileURLToPath(new URL('../../../src/cli/toolgate.mjs', import.meta.url));

interface Ran {
  code: number;
  output: string;
  errors: string;
}

/** Runs a command of `toolgate` with a key of the environment. */
const run = (key: string, ...args: string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { ...process.env, TOOLGATE_API_KEY: key };
    execFile(process.execPath, [command, ...args], { env }, (error, output, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code), output, errors }),
    );
  });

/** Creates an organization with an auditor's key, and the options that all commands need. */
async function createAudited() {
  const acme = await createAcme(teams);
  const { owner, base, id } = acme;
  const permissions = ['can_view_organization_audit', 'can_view_organization_members'];
  const grants = [{ scope: { type: 'org', org_id: id }, permissions }];
  const key = await createKey(owner, `${base}/keys`, { mcp_capabilities: [], grants });
  return { ...acme, secret: key.secret, at: ['--url', teams.gateway.url] };
}

test('who-can lists holders with the chain and who granted it, also as JSON lines and as CSV', async () => {
  const { secret, at, mia, role } = await createAudited();
  const asked = ['who-can', 'can_view_organization_roles', ...at];

  const text = await run(secret, ...asked);
  const json = await run(secret, ...asked, '--json');
  const csv = await run(secret, ...asked, '--csv');

  expect(text.output).toContain(mia.email);
  expect(text.output).toMatch(new RegExp(`org_role:${role.id} role membership:\\S+  since `));
  const ids = json.output
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { subject: { id: string } }).subject.id);
  expect(ids).toContain(mia.account_id);
  expect(csv.output.split('\n')[0]).toBe('kind,id,name,owner,teams,because');
  expect(csv.output.trim().split('\n')).toHaveLength(ids.length + 1);
});

test('who-can lists the credentials that can use an item', async () => {
  const { secret, at, key } = await createAudited();

  const { output } = await run(secret, 'who-can', '--tool', toolId('calculator'), ...at);

  expect(output).toContain(key.name);
});

test('explain names a member by the address, and exits with 1 if the permission is denied', async () => {
  const { secret, at, mia } = await createAudited();
  const explain = (permission: string) =>
    run(secret, 'explain', mia.email, '--permission', permission, ...at);

  const allowed = await explain('can_view_organization_roles');
  const denied = await explain('can_view_organization_members');

  expect([allowed.code, denied.code]).toEqual([0, 1]);
  expect(allowed.output).toMatch(/^allowed\n/);
  expect(allowed.output).toContain(`fga query check user:${mia.account_id} can_roles_read `);
  expect(denied.output).toContain('can_members_read: permission_missing');
});

test('review takes a review and prints what everyone has', async () => {
  const { secret, at, mia } = await createAudited();

  const { output, errors } = await run(secret, 'review', '--name', 'third quarter', ...at);

  expect(errors).toBe('');
  expect(output).toMatch(/^third quarter {2}\S+ {2}open\n/);
  expect(output).toContain(mia.email);
});

test('a missing key, and one without the permission, are reported in one line', async () => {
  const { at, shared } = await createAudited();
  const asked = ['who-can', 'can_view_organization_roles', ...at];

  const missing = await run('', ...asked);
  const denied = await run(shared.secret, ...asked);

  expect([missing.code, denied.code]).toEqual([1, 1]);
  expect(missing.errors).toMatch(/^toolgate: .*TOOLGATE_API_KEY.*\n$/);
  expect(denied.errors).toMatch(/^toolgate: .+\n$/);
});
