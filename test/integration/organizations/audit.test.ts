import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { OrganizationAuditRecord } from '../../../src/audit/schema.ts';
import { accept, invited } from '../../support/people/invitations.ts';
import {
  ADMIN,
  askAs,
  createOrganization,
  MEMBER,
  outcomeOf,
} from '../../support/people/organizations.ts';
import { createKey, goodPassword, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { create, patch } from './content-items.ts';

const teams = await useTeams();

interface AuditLogPage {
  data: OrganizationAuditRecord[];
  next_cursor: string | null;
}
const path = '/api/organizations';
const read = (who: SignedUp, id: string, query = '') =>
  askAs<AuditLogPage>(who, { path: `${path}/${id}/audit${query}` });
const actionsOf = async (who: SignedUp, id: string, query = '') =>
  (await read(who, id, query)).body.data.map(({ action }) => action);

test('an organization’s audit log lists every change once, newest first, with its actor and the values before and after', async () => {
  const { world, gateway } = teams;
  const { id, owner, team, add } = await teams.organization();
  const bob = await signUp(world, gateway, 'bob');
  const { token } = await invited(world, owner, { id, email: bob.email });
  await accept(bob, token);
  const member = `${path}/${id}/members/${bob.account_id}`;
  await askAs(owner, { method: 'PATCH', path: member, body: { role_ids: [ADMIN] } });
  await add(bob, bob);
  await askAs(bob, { method: 'PATCH', path: `${path}/${id}`, body: { name: 'New' } });
  await gateway.service.organizations.setPlan(id, 'pro');
  const body = { confirm: bob.email, current_password: goodPassword };
  await askAs(bob, { method: 'DELETE', path: '/api/user/account', body });

  const { status, body: trail } = await read(owner, id);

  expect(status).toBe(200);
  const actorOf = ({ account_id, email }: SignedUp) => ({ kind: 'user', id: account_id, email });
  const bobActor = { ...actorOf(bob), email: null };
  const bobTarget = { type: 'account', id: bob.account_id };
  expect(
    trail.data.map(({ action, actor, target, detail }) => [action, actor, target, detail]),
  ).toEqual([
    ['account.delete', bobActor, [bobTarget], null],
    [
      'organization.plan',
      { kind: 'system', id: null, email: null },
      [{ type: 'organization', id }],
      { before: { plan: 'free' }, after: { plan: 'pro' } },
    ],
    [
      'organization.update',
      bobActor,
      [{ type: 'organization', id }],
      { before: { name: 'Acme' }, after: { name: 'New' } },
    ],
    [
      'team_member.add',
      bobActor,
      [{ type: 'team', id: team.id, name: 'red' }, bobTarget],
      { after: { role_ids: [] } },
    ],
    [
      'member.update',
      actorOf(owner),
      [bobTarget],
      { before: { role_ids: [MEMBER] }, after: { role_ids: [ADMIN] } },
    ],
    [
      'member.join',
      bobActor,
      [bobTarget, { type: 'invitation', id: expect.any(String) }],
      { organization_id: id, role_ids: [MEMBER], teams: [] },
    ],
    [
      'invitation.create',
      actorOf(owner),
      [{ type: 'invitation', id: expect.any(String) }],
      { after: { invited_by: owner.account_id, role_ids: [MEMBER], teams: [] } },
    ],
    [
      'team.create',
      actorOf(owner),
      [{ type: 'team', id: team.id, name: 'red' }],
      { after: expect.any(Object) },
    ],
    ['organization.create', actorOf(owner), [{ type: 'organization', id }], { name: 'Acme' }],
  ]);
  expect(trail.data[0]).toEqual({
    id: expect.any(String),
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    actor: bobActor,
    credential: { kind: 'session', id: expect.any(String) },
    address: expect.any(String),
    action: 'account.delete',
    target: [bobTarget],
    outcome: 'done',
    detail: null,
  });
});

test('targets have their current names if the organization owns them, and people and others have none', async () => {
  const [acme, other] = [await teams.organization(), await teams.organization()];
  const { id, owner } = acme;
  const bob = await teams.join(id, 'bob');
  const role = await askAs<{ id: string }>(owner, {
    path: `${path}/${id}/roles`,
    body: { name: 'Key maker', permissions: ['can_view_organization_members'] },
  });
  const org_key = await askAs<{ id: string }>(owner, {
    path: `${path}/${id}/keys`,
    body: { name: 'Deployments', mcp_capabilities: [] },
  });
  const own_key = await createKey(bob, { name: 'of Bob' });
  const targets = [
    { type: 'team', id: acme.team.id },
    { type: 'role', id: role.body.id },
    { type: 'org_key', id: org_key.body.id },
    { type: 'account', id: bob.account_id },
    { type: 'api_key', id: own_key.id },
    { type: 'team', id: other.team.id },
    { type: 'account', id: other.owner.account_id },
  ];
  await teams.world.query(
    `INSERT INTO audit_event (id, actor_kind, action, scope_kind, scope_id, organization_id, units)
     VALUES ($1, 'system', 'team.update', 'organization', $2, $2, $3)`,
    [randomUUID(), id, JSON.stringify(targets)],
  );
  const namesOf = async () => {
    const { body } = await read(owner, id, '?action=team.update');
    return body.data[0]!.target.map(({ name }) => name ?? null);
  };
  expect(await namesOf()).toEqual(['red', 'Key maker', 'Deployments', null, null, null, null]);

  const path_of_role = `${path}/${id}/roles/${role.body.id}`;
  expect((await askAs(owner, { method: 'DELETE', path: path_of_role })).status).toBe(204);
  expect((await namesOf())[1]).toBe(null);
});

test('an organization’s audit log lists its own changes, and the deletion of an account only if it was a member', async () => {
  const [one, two] = [await teams.organization(), await teams.organization()];
  const bob = await teams.join(one.id, 'bob');
  await askAs(bob, { method: 'PATCH', path: '/api/user/profile', body: { first_name: 'Rob' } });
  await askAs(bob, { path: '/api/keys', body: { name: 'mine', mcp_capabilities: [] } });
  const body = { confirm: bob.email, current_password: goodPassword };
  await askAs(bob, { method: 'DELETE', path: '/api/user/account', body });

  expect(await actionsOf(one.owner, one.id)).toEqual([
    ...['account.delete', 'member.join', 'team.create', 'organization.create'],
  ]);
  expect(await actionsOf(two.owner, two.id)).toEqual(['team.create', 'organization.create']);
  expect(outcomeOf(await read(two.owner, one.id))).toEqual([404, 'not_found']);
});

test('an edit that changes nothing is not listed', async () => {
  const { id, owner, path: team } = await teams.organization();
  const [before] = (await read(owner, id)).body.data;
  const record = (await askAs<{ title: string; description: string }>(owner, { path: team })).body;
  const { title, description } = record;

  for (const [changed, body] of [
    [team, {}],
    [team, { name: 'red', title, description }],
    [`${path}/${id}`, {}],
    [`${path}/${id}`, { name: 'Acme' }],
  ] as const)
    expect((await askAs(owner, { method: 'PATCH', path: changed, body })).status).toBe(200);

  expect((await read(owner, id)).body.data[0]).toEqual(before);
});

test('changes in a member’s own space are not in the organization’s audit log', async () => {
  const { id, owner } = await teams.organization();
  const bob = await teams.join(id, 'bob');
  const before = await actionsOf(owner, id);
  const me = `${path}/${id}/me`;

  const { body: item } = await create(bob, me, 'prompts');
  await patch(bob, `${me}/prompts/${item.id}`, { title: 'Mine' });
  await askAs(bob, { method: 'DELETE', path: `${me}/prompts/${item.id}` });
  const upstream = { name: 'mine', url: 'https://mcp.example.com/', headers: {} };
  expect((await askAs(bob, { path: `${me}/upstreams`, body: upstream })).status).toBe(201);

  expect(await actionsOf(owner, id)).toEqual(before);
  const rows = await teams.world.query<{ action: string }>(
    'SELECT action FROM audit_event WHERE actor_id = $1 ORDER BY at, id',
    [bob.account_id],
  );
  expect(rows.map(({ action }) => action).slice(-4)).toEqual([
    ...['prompt.create', 'prompt.update', 'prompt.delete', 'upstream.create'],
  ]);
});

test('pages have no gaps or duplicates; filters work as in an account’s audit log', async () => {
  const { id, owner } = await teams.organization();
  for (const name of ['One', 'Two', 'Three'])
    await askAs(owner, { method: 'PATCH', path: `${path}/${id}`, body: { name } });
  const all = (await read(owner, id)).body.data.map((row) => row.id);
  const paged: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await read(owner, id, `?limit=2${cursor && `&cursor=${cursor}`}`);
    paged.push(...body.data.map((row) => row.id));
    cursor = body.next_cursor;
  }

  expect(all).toHaveLength(5);
  expect(paged).toEqual(all);
  expect(await actionsOf(owner, id, '?action=organization.')).toEqual([
    ...Array.from({ length: 3 }, () => 'organization.update'),
    'organization.create',
  ]);
  expect(await actionsOf(owner, id, '?outcome=refused')).toEqual([]);
  expect(await actionsOf(owner, id, '?to=2020-01-01T00:00:00Z')).toEqual([]);
});

test('a cursor from the audit log of another organization or an account is refused as invalid', async () => {
  const { id, owner } = await teams.organization();
  const other = await createOrganization(await signUp(teams.world, teams.gateway));
  const rows = await teams.world.query<{ id: string }>(
    'SELECT id FROM audit_event WHERE organization_id = $1 OR scope_id = $2',
    [other.id, owner.account_id],
  );
  expect(rows.length).toBeGreaterThan(2);
  for (const cursor of [randomUUID(), ...rows.map((row) => row.id)])
    expect(outcomeOf(await read(owner, id, `?cursor=${cursor}`))).toEqual([400, 'invalid_cursor']);
});

test('an organization’s audit log shows the version of an edited item, and who it was and is for', async () => {
  const { id, owner } = await teams.organization();
  const catalog = `${path}/${id}`;
  const { body: item } = await create(owner, catalog, 'prompts');
  await patch(owner, `${catalog}/prompts/${item.id}`, { organization_wide: true });

  const { body: trail } = await read(owner, id, '?action=prompt.');

  const first = { name: 'guide', version: 1, organization_wide: false };
  expect(trail.data.map(({ action, detail }) => [action, detail])).toEqual([
    ['prompt.update', { before: first, after: { ...first, version: 2, organization_wide: true } }],
    ['prompt.create', { after: first }],
  ]);
});
