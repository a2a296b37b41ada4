import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { OrganizationRecord } from '../../../src/organizations/schema.ts';
import { goodPassword, signUp } from '../../support/people/people.ts';
import type { SendRequest } from '../../support/people/people.ts';
import {
  ADMIN,
  askAs,
  at,
  createOrganization,
  outcomeOf,
} from '../../support/people/organizations.ts';
import { useOrganizations } from '../../support/worlds/use-organizations.ts';

const { world, gateway, joins } = await useOrganizations();
const otherGateway = await world.gateway();

const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

/** Runs `toolgate …` as an operator would. */
async function toolgate(...words: string[]) {
  const env = { PATH: process.env['PATH'], ...world.env };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [CLI, ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

const path = '/api/organizations';
type Listed = { data: OrganizationRecord[] };

test('members of a suspended organization are immediately refused on every gateway, and no data is lost', async () => {
  const [ada, bob] = [await signUp(world, gateway), await signUp(world, gateway, 'bob')];
  const stranger = await signUp(world, gateway, 'stranger');
  const { id } = await createOrganization(ada);
  await joins.add(id, bob, [ADMIN]);
  const read = { path: `${path}/${id}` };
  expect((await askAs(at(bob, otherGateway), read)).status).toBe(200);

  expect((await toolgate('organization', 'suspend', id)).stdout).toBe(`${id} is now suspended.\n`);

  const refused: SendRequest[] = [
    read,
    { ...read, method: 'PATCH', body: { name: 'New' } },
    { path: `${path}/${id}/members` },
    { path: `${path}/${id}/roles`, body: { name: 'New' } },
    { method: 'DELETE', path: `${path}/${id}/members/${ada.account_id}` },
    {
      path: `${path}/${id}/transfer-ownership`,
      body: { account_id: bob.account_id, current_password: goodPassword },
    },
  ];
  for (const who of [ada, at(bob, otherGateway)])
    for (const request of refused.slice(0, -1))
      if (!request.path.endsWith(who.account_id))
        expect([request, ...outcomeOf(await askAs(who, request))]).toEqual([
          ...[request, 403, 'organization_suspended'],
        ]);
  expect(outcomeOf(await askAs(ada, refused.at(-1)!))).toEqual([403, 'organization_suspended']);
  expect(outcomeOf(await askAs(stranger, read))).toEqual([404, 'not_found']);
  // Listing, leaving and deleting still work.
  const listed = await askAs<Listed>(at(ada, otherGateway), { path });
  expect(listed.body.data.map((one) => [one.id, one.status])).toEqual([[id, 'suspended']]);
  const leave = { method: 'DELETE', path: `${path}/${id}/members/${bob.account_id}` };
  expect((await askAs(bob, leave)).status).toBe(204);
  const remove = { method: 'DELETE', path: `${path}/${id}` };
  expect(
    outcomeOf(
      await askAs(ada, { ...remove, body: { confirm: 'No', current_password: goodPassword } }),
    ),
  ).toEqual([422, 'confirmation_mismatch']);

  expect((await toolgate('organization', 'activate', id)).stdout).toBe(`${id} is now active.\n`);
  expect((await askAs(at(ada, otherGateway), read)).status).toBe(200);
});

test('the list shows all organizations except deleted ones; the commands report when nothing changes', async () => {
  const [ada, bob] = [await signUp(world, gateway), await signUp(world, gateway, 'bob')];
  const { id } = await createOrganization(ada, 'Listed');
  const deleted = await createOrganization(bob, 'Gone');
  await joins.add(id, bob);
  await askAs(bob, {
    method: 'DELETE',
    path: `${path}/${deleted.id}`,
    body: { confirm: 'Gone', current_password: goodPassword },
  });

  expect((await toolgate('organization', 'plan', id, 'enterprise')).stdout).toBe(
    `${id} is now on plan enterprise.\n`,
  );
  expect((await toolgate('organization', 'activate', id)).stdout).toBe(
    `${id} is already active.\n`,
  );

  const { stdout } = await toolgate('organization', 'list');
  expect(stdout).toContain(`${id}\tactive\tenterprise\t2\t${ada.email}\tListed\n`);
  expect(stdout).not.toContain(deleted.id);
  expect((await askAs<OrganizationRecord>(ada, { path: `${path}/${id}` })).body.plan).toBe(
    'enterprise',
  );
});

test.each([
  ['an unknown id', ['organization', 'suspend', randomUUID()], 'no organization has the id'],
  ['a malformed id', ['organization', 'plan', 'acme', 'pro'], 'no organization has the id'],
  ['an unknown plan', ['organization', 'plan', randomUUID(), 'gold'], 'gold'],
  ['an unknown account', ['account', 'plan', 'nobody@example.com', 'pro'], 'no account has'],
])('%s is reported in one line on stderr, and the command fails', async (_what, words, message) => {
  const { code, stderr } = await toolgate(...words);

  expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
});

test('a larger plan immediately allows an account to create more organizations', async () => {
  const ada = await signUp(world, gateway);
  await createOrganization(ada);
  const create = () => askAs(ada, { path, body: { name: 'Second' } });
  expect(outcomeOf(await create())).toEqual([422, 'limit_reached']);

  expect((await toolgate('account', 'plan', ada.email, 'pro')).stdout).toBe(
    `${ada.account_id} is now on plan pro.\n`,
  );

  expect((await create()).status).toBe(201);
  expect((await gateway.service.setAccountPlan(ada.account_id, 'pro'))?.changed).toBe(false);
});
