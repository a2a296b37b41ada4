import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { HolderPage, ItemUserPage } from '../../../src/explorer/schema.ts';
import { askAs } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { toolId } from '../mcp/key-holder.ts';
import { createAcme, createKey, read } from './acme.ts';

type Holders = z.infer<typeof HolderPage>;
type Users = z.infer<typeof ItemUserPage>;

const teams = await useTeams();

const idsOf = ({ data }: { data: readonly { subject: { id: string } }[] }) =>
  data.map(({ subject }) => subject.id);

test('a permission is held by members with a role that has it, and by credentials that were also granted it', async () => {
  const { ada, base, id, owner, mia, key } = await createAcme(teams);
  const permissions = ['can_view_organization_roles'];
  const grants = [{ scope: { type: 'org', org_id: id }, permissions }];
  const granted = await createKey(mia, '/api/keys', { grants });
  const shared = await createKey(owner, `${base}/keys`, { grants });

  const page = await read<Holders>(ada, `${base}/access/permissions/can_view_organization_roles`);

  expect(new Set(idsOf(page))).toEqual(
    new Set([owner.account_id, mia.account_id, granted.id, shared.id]),
  );
  expect(idsOf(page)).not.toContain(key.id);
});

test('each holder has the chain of tuples, with who granted them and when', async () => {
  const { ada, base, owner, mia, role, id } = await createAcme(teams);

  const page = await read<Holders>(ada, `${base}/access/permissions/can_view_organization_roles`);

  const found = page.data.find(({ subject }) => subject.id === mia.account_id)!;
  const held = found.because.find(({ subject }) => subject === `org_role:${role.id}`);
  expect(held).toMatchObject({
    ...{ relation: 'role', object: `membership:${id}.${mia.account_id}` },
    granted_at: expect.any(String),
  });
  const contained = found.because.find(({ object }) => object === `org_role:${role.id}`);
  expect(contained?.granted_by).toEqual({
    ...{ kind: 'user', id: owner.account_id, email: owner.email },
  });
});

test('members of one class have the chain with their own ids', async () => {
  const { ada, base, mia, role, id } = await createAcme(teams);
  const max = await teams.join(id, 'max', [role.id]);

  const page = await read<Holders>(ada, `${base}/access/permissions/can_view_organization_roles`);

  for (const { account_id } of [mia, max]) {
    const { because } = page.data.find(({ subject }) => subject.id === account_id)!;
    const objects = because.map(({ object }) => object);
    expect(objects).toContain(`membership:${id}.${account_id}`);
  }
});

test('a permission in teams is held in the teams of a seat, and by the Owner in all', async () => {
  const { ada, base, owner, mia, team_id } = await createAcme(teams);

  const page = await read<Holders>(ada, `${base}/access/permissions/can_create_team_tools`);

  const byId = new Map(page.data.map(({ subject, teams: held }) => [subject.id, held]));
  expect(byId.get(mia.account_id)?.map((team) => team.id)).toEqual([team_id]);
  expect(byId.get(owner.account_id)?.map((team) => team.id)).toEqual([team_id]);
  expect([...byId.keys()]).toHaveLength(2);
});

test('the users of an item are the credentials that can call it', async () => {
  const { ada, base, key, shared } = await createAcme(teams);
  const path = (name: string) => `${base}/access/items/tools/${toolId(name)}`;

  const users = await read<Users>(ada, path('calculator'));
  const none = await read<Users>(ada, path('hash'));
  const unknown = await askAs(ada, { path: `${base}/access/items/tools/${randomUUID()}` });

  // `shared` is in no team, and nothing is organization-wide.
  expect(idsOf(users)).toEqual([key.id]);
  expect(idsOf(users)).not.toContain(shared.id);
  expect(idsOf(none)).toEqual([]);
  expect(unknown.status).toBe(404);
});

test('the organization’s clients are named that could have it once a member authorizes them', async () => {
  const { ada, base, owner } = await createAcme(teams);
  const register = async (name: string, fields: object) => {
    const body = {
      ...{ name, type: 'public', grant_types: ['authorization_code'] },
      redirect_uris: ['https://app.example/'],
      ...fields,
    };
    const created = await askAs<{ id: string }>(owner, { path: `${base}/oauth-clients`, body });
    expect([name, created.status]).toEqual([name, 201]);
    return { id: created.body.id, name };
  };
  const updating = await register('Updating', { allowed_scopes: ['update:organization_roles'] });
  const disabled = await register('Off', { allowed_scopes: ['read:organization_roles'] });
  await askAs(owner, {
    ...{ method: 'PATCH', path: `${base}/oauth-clients/${disabled.id}`, body: { disabled: true } },
  });
  const calling = await register('Calling', { allowed_scopes: ['mcp_tools'] });

  const ofPermission = (name: string) => read<Holders>(ada, `${base}/access/permissions/${name}`);
  const viewing = await ofPermission('can_view_organization_roles');
  const auditing = await ofPermission('can_view_organization_audit');
  const users = await read<Users>(ada, `${base}/access/items/tools/${toolId('calculator')}`);

  expect(viewing.authorizable_clients).toEqual([updating]);
  expect(auditing.authorizable_clients).toEqual([]);
  expect(users.authorizable_clients).toEqual([calling]);
});

test('pages of holders cover all of them once', async () => {
  const { ada, base, id, role } = await createAcme(teams);
  for (const name of ['max', 'moe', 'may']) await teams.join(id, name, [role.id]);
  const path = `${base}/access/permissions/can_view_organization_roles`;
  const all = idsOf(await read<Holders>(ada, path));

  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Holders = await read<Holders>(ada, `${path}?limit=2${query}`);
    found.push(...idsOf(page));
    cursor = page.next_cursor;
  } while (cursor !== null);

  expect(found).toEqual(all);
  expect(found).toHaveLength(5);
});

test('a revoked key uses nothing', async () => {
  const { ada, base, key, mia } = await createAcme(teams);
  const path = `${base}/access/items/tools/${toolId('calculator')}`;
  await askAs(mia, { method: 'DELETE', path: `/api/keys/${key.id}` });

  expect(idsOf(await read<Users>(ada, path))).toEqual([]);
});

test('no name of a permission that does not exist is answered', async () => {
  const { ada, base } = await createAcme(teams);

  expect((await askAs(ada, { path: `${base}/access/permissions/can_fly` })).status).toBe(404);
});

test('a key with a grant holds it only while its person’s role has it', async () => {
  const { ada, base, id, owner, mia, role, auditing } = await createAcme(teams);
  const max = await teams.join(id, 'max', [role.id]);
  const grants = [
    { scope: { type: 'org', org_id: id }, permissions: ['can_view_organization_roles'] },
  ];
  const ofMia = await createKey(mia, '/api/keys', { grants });
  const ofMax = await createKey(max, '/api/keys', { grants });
  const demotion = { role_ids: [auditing.id] };
  await askAs(owner, {
    ...{ method: 'PATCH', path: `${base}/members/${max.account_id}`, body: demotion },
  });

  const holders = idsOf(
    await read<Holders>(ada, `${base}/access/permissions/can_view_organization_roles`),
  );

  expect(holders).toContain(ofMia.id);
  expect(holders).not.toContain(ofMax.id);
});

test('a member with a seat in a team holds a permission only if their team role has it', async () => {
  const acme = await createAcme(teams);
  const { ada, base, owner, mia } = acme;
  const max = await teams.join(acme.id, 'max', [acme.role.id]);
  await acme.add(owner, max);

  const page = await read<Holders>(ada, `${base}/access/permissions/can_create_team_tools`);

  expect(new Set(idsOf(page))).toEqual(new Set([owner.account_id, mia.account_id]));
});

test('a key that its account does not admit any more holds and uses nothing', async () => {
  const { ada, base, id, mia } = await createAcme(teams);
  const permissions = ['can_view_organization_roles'];
  const grants = [{ scope: { type: 'org', org_id: id }, permissions }];
  const key = await createKey(mia, '/api/keys', { org_scope: id, grants });
  await teams.world.query(
    "UPDATE account SET credentials_ended = tstzmultirange(tstzrange(now() - interval '1 day', now() + interval '1 day')) WHERE id = $1",
    [mia.account_id],
  );

  const holders = await read<Holders>(
    ada,
    `${base}/access/permissions/can_view_organization_roles`,
  );
  const users = await read<Users>(ada, `${base}/access/items/tools/${toolId('calculator')}`);

  expect([...idsOf(holders), ...idsOf(users)]).not.toContain(key.id);
});

test('holders are sent as one file, as CSV in which no name is a formula, and as JSON lines', async () => {
  const { ada, owner, base, id, mia } = await createAcme(teams);
  const permissions = ['can_view_organization_roles'];
  const grants = [{ scope: { type: 'org', org_id: id }, permissions }];
  const key = await createKey(owner, `${base}/keys`, { name: '=1+1', grants });
  const path = `${base}/access/permissions/can_view_organization_roles`;
  const file = async (format: string) => {
    const response = await fetch(`${teams.gateway.url}${path}?format=${format}`, {
      headers: ada.bearer,
    });
    return (await response.text()).trim().split(/\r?\n/);
  };

  const csv = await file('csv');
  const lines = await file('jsonl');

  expect(csv[0]).toMatch(/^subject\.kind,subject\.id,subject\.name,/);
  expect(csv.find((line) => line.includes(key.id))).toContain("'=1+1");
  expect(lines.map((line) => (JSON.parse(line) as { subject: { id: string } }).subject.id)).toEqual(
    idsOf(await read<Holders>(ada, path)),
  );
  expect(lines.join()).toContain(mia.account_id);
});
