import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accept, invited } from '../../support/people/invitations.ts';
import { ADMIN, askAs, at, driftOf, outcomeOf } from '../../support/people/organizations.ts';
import { goodPassword, newEmail, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { create } from './content-items.ts';
import type { Listed } from './content-items.ts';
import { CAPABILITIES, createAgent } from './union.ts';

const teams = await useTeams();

test('only the member can access their space in an organization; it is kept when they leave and deleted with the account', async () => {
  const { id, owner } = await teams.organization();
  const bob = await teams.join(id, 'bob');
  const path = `/api/organizations/${id}/me`;
  const { body } = await create(bob, path, 'resources');
  const item = `${path}/resources/${body.id}`;

  expect((await askAs(owner, { path: item })).status).toBe(404);
  expect((await askAs<Listed>(owner, { path: `${path}/resources` })).body.data).toEqual([]);
  await askAs(bob, {
    method: 'DELETE',
    path: `/api/organizations/${id}/members/${bob.account_id}`,
  });
  expect((await askAs(bob, { path: item })).status).toBe(404);
  await teams.joins.add(id, bob);
  expect((await askAs(bob, { path: item })).body).toEqual(body);

  const { email, password } = bob;
  const deletion = await askAs(bob, {
    method: 'DELETE',
    path: '/api/user/account',
    body: { confirm: email, current_password: password },
  });
  expect(deletion.status).toBe(204);
  const rows = 'SELECT id FROM item WHERE id = $1';
  expect(await teams.world.query(rows, [body.id])).toEqual([]);
});

test('keys of the organization and invitations outlive the account that created them, and then name no creator', async () => {
  const { id, owner } = await teams.organization();
  const admin = await teams.join(id, 'admin', [ADMIN]);
  const path = `/api/organizations/${id}`;
  const key = await createOwnedKey(admin, id);
  const invitation = await invited(teams.world, admin, { id, email: newEmail() });
  const guest = await signUp(teams.world, teams.gateway, 'guest');
  const forGuest = await invited(teams.world, admin, { id, email: guest.email });
  const keyPath = `${path}/keys/${key.id}`;
  const shown = async () => {
    const { body } = await askAs<{ created_by: object | null }>(owner, { path: keyPath });
    const listed = await askAs<{ data: (typeof invitation)[] }>(owner, {
      path: `${path}/invitations`,
    });
    return [body.created_by, listed.body.data.find((one) => one.id === invitation.id)!.invited_by];
  };
  const creator = { account_id: admin.account_id, email: admin.email };
  expect(await shown()).toEqual([creator, creator]);

  const { email, password } = admin;
  const deletion = await askAs(admin, {
    ...{ method: 'DELETE', path: '/api/user/account' },
    body: { confirm: email, current_password: password },
  });
  expect(deletion.status).toBe(204);

  expect(await shown()).toEqual([null, null]);
  expect(outcomeOf(await accept(guest, forGuest.token))).toEqual([422, 'token_invalid']);
  const { seen } = createAgent(teams.otherGateway, key.secret);
  expect(await seen()).toMatchObject({ tools: [], prompts: [], resources: [] });
  const edited = { method: 'PATCH', path: keyPath, body: { name: 'Renamed' } } as const;
  expect((await askAs(owner, edited)).body).toMatchObject({ name: 'Renamed', created_by: null });
  const resent = `${path}/invitations/${invitation.id}/resend`;
  expect((await askAs(owner, { method: 'POST', path: resent })).status).toBeLessThan(300);
  expect((await shown())[1]).toEqual({ account_id: owner.account_id, email: owner.email });
});

/** Creates a key of the organization that is in no team. */
async function createOwnedKey(who: SignedUp, id: string) {
  const created = await askAs<{ id: string; secret: string }>(who, {
    path: `/api/organizations/${id}/keys`,
    body: { name: 'Robot', mcp_capabilities: CAPABILITIES, team_ids: [] },
  });
  expect(created.status).toBe(201);
  return created.body;
}

test('content is deleted with its team, and with the organization', async () => {
  const { id, owner, path, team } = await teams.organization();
  const { body } = await create(owner, path, 'prompts');
  // Enough for more than two batches of the background deletion.
  const fill = (space_id: string) =>
    teams.world.query(
      `INSERT INTO item (id, space_id, family, name, version, head)
       SELECT gen_random_uuid(), $1, 'prompt', 'prompt-' || n, 1, '{}' FROM generate_series(1, 45) n`,
      [space_id],
    );
  await fill(team.id);
  await fill(id);
  const remainingItems = (space_id: string) => async () =>
    teams.world.query('SELECT id FROM space WHERE id = $1', [space_id]);

  await askAs(owner, { method: 'DELETE', path, body: { confirm: team.name } });
  expect((await askAs(owner, { path: `${path}/prompts/${body.id}` })).status).toBe(404);
  expect(outcomeOf(await create(owner, path, 'prompts'))).toEqual([404, 'not_found']);
  await expect.poll(remainingItems(team.id), { timeout: 20_000 }).toEqual([]);

  const organization = `/api/organizations/${id}`;
  await create(owner, organization, 'prompts');
  await create(owner, `${organization}/me`, 'prompts');
  await askAs(owner, {
    method: 'DELETE',
    path: organization,
    body: { confirm: 'Acme', current_password: goodPassword },
  });
  const all = () => teams.world.query('SELECT id FROM space WHERE organization_id = $1', [id]);
  await expect.poll(all, { timeout: 20_000 }).toEqual([]);
  expect(await driftOf(teams.gateway)).toEqual([]);
});

const addUpstream = (who: SignedUp, space: string, name: string) => {
  const body = { name, url: 'https://mcp.example.com/', headers: {} };
  return askAs(who, { path: `${space}/upstreams`, body });
};

test.each([
  [
    'agents',
    (who: SignedUp, space: string, name: string) => create(who, space, 'agents', { name }),
  ],
  ['upstreams', addUpstream],
])(
  'an organization’s plan limits the %s of all its spaces together, even for 20 concurrent requests',
  async (_what, add) => {
    const folder = mkdtempSync(join(tmpdir(), 'plans-'));
    const PLANS_FILE = join(folder, 'plans.json');
    writeFileSync(PLANS_FILE, JSON.stringify({ free: { items: 4 } }));
    const strict = await teams.world.gateway({ env: { PLANS_FILE } });
    const { id, owner, path } = await teams.organization();
    const [ownerAtStrict, bobAtStrict] = [
      at(owner, strict),
      at(await teams.join(id, 'bob'), strict),
    ];
    const organization = `/api/organizations/${id}`;
    const writers = [
      [ownerAtStrict, organization],
      [ownerAtStrict, path],
      [ownerAtStrict, `${organization}/me`],
      [bobAtStrict, `${organization}/me`],
    ] as const;

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const [who, space] = writers[index % writers.length]!;
        return add(who, space, `one-${index}`);
      }),
    );

    const created = answers.filter(({ status }) => status === 201);
    expect(created).toHaveLength(4);
    for (const answer of answers)
      if (answer.status !== 201) expect(outcomeOf(answer)).toEqual([422, 'limit_reached']);
    // The limit applies neither to a member's own account nor to another family.
    expect((await add(ownerAtStrict, '/api/me', 'mine')).status).toBe(201);
    expect((await create(bobAtStrict, `${organization}/me`, 'prompts')).status).toBe(201);
  },
);

test('creating an item in a member’s own space does not raise the organization’s content counter', async () => {
  const { id } = await teams.organization();
  const bob = await teams.join(id, 'bob');
  const content = () =>
    teams.world.query(`SELECT content FROM authz_scope WHERE kind = 'organization' AND id = $1`, [
      id,
    ]);
  const before = await content();

  expect((await create(bob, `/api/organizations/${id}/me`, 'prompts')).status).toBe(201);

  expect(await content()).toEqual(before);
});

test('members cannot access the content of a suspended organization', async () => {
  const { id, owner, path } = await teams.organization();
  const organization = `/api/organizations/${id}`;
  await teams.world.query(`UPDATE organization SET status = 'suspended' WHERE id = $1`, [id]);

  for (const space of [organization, path, `${organization}/me`]) {
    expect(outcomeOf(await askAs(owner, { path: `${space}/prompts` }))).toEqual([
      403,
      'organization_suspended',
    ]);
    expect(outcomeOf(await create(owner, space, 'prompts'))[1]).toBe('organization_suspended');
  }
});
