import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Preview } from '../../../src/keys/schema.ts';
import { createKey, goodPassword } from '../../support/people/people.ts';
import { ADMIN, askAs, createRole, driftOf, MEMBER } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, seatsOf } from '../../support/people/teams.ts';
import { create as createItem } from '../organizations/content-items.ts';
import { unknownId } from './managing.ts';
import { scopedKeys } from './scoped-keys.ts';

const teams = await useTeams();
const { owner, id: acme } = await teams.organization();
afterAll(async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});

const { create, edit, faults, call } = scopedKeys(() => teams.otherGateway);
const all = ['tools', 'resources', 'prompts', 'agents'];

test('a key with org_scope shows the teams it follows in place of item policies (K1)', async () => {
  const { status, body } = await create(owner, { org_scope: acme, mcp_capabilities: all });

  expect(status).toBe(201);
  expect(body).toMatchObject({
    org_scope: acme,
    follows_memberships: true,
    teams: [{ name: 'red', available: true, tool_policy: { mode: 'all' } }],
  });
  expect(body).not.toHaveProperty('tool_policy');
  const stored = await askAs<object>(owner, { path: `/api/keys/${body.id}` });
  const { secret: _secret, ...record } = body;
  expect(stored.body).toEqual({ ...record, last_used_at: null });
});

test('a key with org_scope has no item policies (K1)', async () => {
  const policy = { mode: 'blacklist', tools: [randomUUID()] };
  const refused = await create(owner, { org_scope: acme, tool_policy: policy });
  expect(faults(refused)).toContain('policy_not_applicable /tool_policy');

  const { body } = await create(owner, { org_scope: acme, tool_policy: { mode: 'all' } });
  expect(faults(await edit(owner, body.id, { agent_policy: { mode: 'all' } }))).toEqual([
    422,
    'policy_not_applicable /agent_policy',
  ]);
});

test('calls with an org_scope key count against the organization’s limits', async () => {
  const { body } = await create(owner, { org_scope: acme });
  expect(await call(body.secret, 'setup')).toBe(200);

  await expect
    .poll(() =>
      teams.world.query('SELECT owner_kind, owner_id FROM usage_ledger WHERE key_id = $1', [
        body.id,
      ]),
    )
    .toEqual([{ owner_kind: 'organization', owner_id: acme }]);
});

test('org_scope must be an organization of the creator (G5)', async () => {
  const { owner: stranger } = await teams.organization();
  const foreign = await create(stranger, { org_scope: acme });
  const unknown = await create(stranger, { org_scope: randomUUID() });

  expect(faults(foreign)).toEqual([422, 'not_a_member /org_scope']);
  expect(faults(unknown)).toEqual(faults(foreign));
});

test('a key can be given only capabilities of its creator, at creation and later (C5)', async () => {
  const role = await createRole(owner, acme, { name: 'Tools', capabilities: ['tools'] });
  const creator = await teams.join(acme, 'may', [role.id]);
  const refused = await create(creator, { org_scope: acme, mcp_capabilities: ['tools', 'agents'] });
  expect(faults(refused)).toEqual([422, 'capability_escalation /mcp_capabilities/1']);

  const { body } = await create(creator, { org_scope: acme, mcp_capabilities: ['tools'] });
  expect(await call(body.secret)).toBe('tool_not_permitted');
  const wider = await edit(creator, body.id, { mcp_capabilities: ['tools', 'prompts'] });
  expect(faults(wider)).toEqual([422, 'capability_escalation /mcp_capabilities/1']);

  const path = `/api/organizations/${acme}/members/${creator.account_id}`;
  await askAs(owner, { method: 'PATCH', path, body: { role_ids: [MEMBER] } });
  expect(await call(body.secret), 'the creator’s roles limit the key at once (C3)').toBe(
    'capability_denied',
  );
  const kept = await edit(creator, body.id, { name: randomUUID(), mcp_capabilities: ['tools'] });
  expect(kept.status, 'what it has is not checked again').toBe(200);
});

test('keys of a person who left get a 404, and can only lose capabilities (A6, C5)', async () => {
  const admin = await teams.join(acme, 'admin', [ADMIN]);
  const { body } = await create(admin, { org_scope: acme, mcp_capabilities: ['tools'] });
  expect(await call(body.secret)).toBe('tool_not_permitted');

  const path = `/api/organizations/${acme}/members/${admin.account_id}`;
  expect((await askAs(owner, { method: 'DELETE', path })).status).toBe(204);
  expect(await call(body.secret)).toBe(404);
  expect(await call(body.secret, 'setup')).toBe(404);
  const added = await edit(admin, body.id, { mcp_capabilities: ['tools', 'agents'] });
  expect(faults(added)).toEqual([422, 'not_a_member /org_scope']);
  expect((await edit(admin, body.id, { mcp_capabilities: [] })).status).toBe(200);

  await teams.joins.add(acme, admin, [ADMIN]);
  expect(
    await call(body.secret),
    'back in the organization, without the removed capabilities',
  ).toBe('capability_denied');
});

test('the expiry of an org_scope key can be extended only by a member, in an active organization', async () => {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const admin = await teams.join(acme, 'admin', [ADMIN]);
  const key = await createKey(admin, { org_scope: acme, expires_at: day(3) });
  const extend = (expires_at: string | null) => edit(admin, key.id, { expires_at });
  expect((await extend(day(4))).status).toBe(200);

  await teams.joins.setStatus(acme, 'suspended');
  expect(faults(await extend(null))).toEqual([422, 'organization_suspended /expires_at']);
  await teams.joins.setStatus(acme, 'active');
  const path = `/api/organizations/${acme}/members/${admin.account_id}`;
  await askAs(admin, { method: 'DELETE', path });

  for (const expiry of [day(5), null])
    expect(faults(await extend(expiry))).toEqual([422, 'not_a_member /expires_at']);
  expect((await extend(day(2))).status, 'an earlier expiry').toBe(200);
});

test('the owner of a key who left can clear its grants, default agent and teams, and add nothing (C5, K3)', async () => {
  const { id, owner: other, path: red, team, add } = await teams.organization();
  const blue = await createTeam(other, id, 'blue');
  const admin = await teams.join(id, 'admin', [ADMIN]);
  for (const one of [add, seatsOf(id, blue.id).add])
    expect((await one(other, admin)).status).toBe(201);
  const agent = await createItem(other, red, 'agents');
  const grantOf = (...permissions: string[]) => [
    { scope: { type: 'org', org_id: id }, permissions },
  ];
  const fields = {
    ...{ org_scope: id, mcp_capabilities: all, default_agent_id: agent.body.id },
    grants: grantOf('can_view_organization_members', 'can_view_team_members'),
  };
  const { body: key } = await create(admin, { ...fields, team_ids: [team.id, blue.id] });
  const { body: following } = await create(admin, fields);
  const member = `/api/organizations/${id}/members/${admin.account_id}`;
  expect((await askAs(other, { method: 'DELETE', path: member })).status).toBe(204);

  const refused: [object, ...string[]][] = [
    [{ grants: grantOf('can_view_organization_roles') }, 'not_a_member /grants/0/scope/org_id'],
    [{ team_ids: null }, 'not_a_member /team_ids'],
    [{ default_agent_id: unknownId }, 'agent_unavailable /default_agent_id'],
  ];
  for (const [body, ...codes] of refused)
    expect(faults(await edit(admin, key.id, body))).toEqual([422, ...codes]);
  expect(faults(await edit(admin, following.id, { team_ids: [team.id] }))).toEqual([
    422,
    'not_a_member /team_ids',
  ]);
  const narrow = await edit(admin, key.id, { mcp_capabilities: ['tools'], team_ids: [blue.id] });
  expect([narrow.status, narrow.body.teams]).toMatchObject([200, [{ id: blue.id, name: null }]]);
  for (const team_ids of [[], [blue.id]])
    expect(
      faults(await edit(admin, key.id, { team_ids, mcp_capabilities: ['tools', 'agents'] })),
    ).toContain('not_a_member /org_scope');

  for (const { id: key_id } of [key, following]) {
    expect((await edit(admin, key_id, { grants: grantOf('can_view_team_members') })).status).toBe(
      200,
    );
    const cleared = { grants: [], default_agent_id: null, team_ids: [] };
    for (const [field, value] of Object.entries(cleared))
      expect([field, (await edit(admin, key_id, { [field]: value })).status]).toEqual([field, 200]);
    const { body } = await askAs(admin, { path: `/api/keys/${key_id}` });
    expect(body).toMatchObject({
      ...{ grants: [], default_agent: null, follows_memberships: false, teams: [] },
    });
  }
});

test('in a suspended organization, an org_scope key gets a 403, and keys can be neither created nor extended', async () => {
  const { id, owner: other } = await teams.organization();
  const { body } = await create(other, { org_scope: id });
  await teams.gateway.service.organizations.setStatus(id, 'suspended');

  expect(await call(body.secret, 'setup')).toBe(403);
  expect(faults(await create(other, { org_scope: id }))).toEqual([
    422,
    'organization_suspended /org_scope',
  ]);
  const wider = await edit(other, body.id, { mcp_capabilities: ['tools'] });
  expect(faults(wider)).toEqual([422, 'organization_suspended /org_scope']);
  expect((await edit(other, body.id, { name: randomUUID() })).status).toBe(200);
});

test('in a suspended organization, a key can lose teams, and be given none (organizations.md 3.6)', async () => {
  const { id, owner: other, team } = await teams.organization();
  const blue = await createTeam(other, id, 'blue');
  const { body } = await create(other, { org_scope: id, team_ids: [team.id, blue.id] });
  await teams.gateway.service.organizations.setStatus(id, 'suspended');

  const narrowed = await edit(other, body.id, { team_ids: [blue.id] });
  expect([narrowed.status, narrowed.body.teams?.length]).toEqual([200, 1]);
  for (const team_ids of [[team.id], null])
    expect(faults(await edit(other, body.id, { team_ids }))).toEqual([
      422,
      'organization_suspended /team_ids',
    ]);
});

test('a preview of a key in a suspended organization shows nothing of it (C5)', async () => {
  const { id, owner: other } = await teams.organization();
  const wide = { name: 'wide', organization_wide: true };
  const made = await createItem(other, `/api/organizations/${id}`, 'prompts', wide);
  expect(made.status).toBe(201);
  const preview = () =>
    askAs<Preview>(other, {
      path: '/api/keys/preview',
      body: { name: randomUUID(), org_scope: id, mcp_capabilities: all },
    });
  expect((await preview()).body.visible.prompts).toMatchObject([{ name: 'wide' }]);

  await teams.gateway.service.organizations.setStatus(id, 'suspended');
  const { body } = await preview();
  expect(body.errors).toMatchObject([{ code: 'organization_suspended' }]);
  expect(body.counts.visible).toEqual({ tools: 0, prompts: 0, resources: 0, agents: 0 });
  expect(body.hidden.map(({ name }) => name)).not.toContain('wide');
});

test('in a deleted organization, an org_scope key gets a 404, even after cleanup, and its capabilities can be cleared and it revoked, but none added (A6, C5)', async () => {
  const { id, owner: other } = await teams.organization();
  const capable = { org_scope: id, mcp_capabilities: ['tools', 'prompts'] };
  const { body } = await create(other, capable);
  const path = `/api/organizations/${id}`;
  await askAs(other, {
    method: 'DELETE',
    path,
    body: { confirm: 'Acme', current_password: goodPassword },
  });

  expect(await call(body.secret, 'setup')).toBe(404);
  await expect
    .poll(() => teams.world.query('SELECT id FROM organization WHERE id = $1', [id]))
    .toEqual([]);
  expect(await call(body.secret, 'setup')).toBe(404);
  const added = await edit(other, body.id, { mcp_capabilities: ['tools', 'agents'] });
  expect(added.status).toBe(422);
  const cleared = await edit(other, body.id, { mcp_capabilities: [] });
  expect([cleared.status, cleared.body.mcp_capabilities]).toEqual([200, []]);
  const revoked = await askAs(other, { method: 'DELETE', path: `/api/keys/${body.id}` });
  expect(revoked.status).toBe(204);
  expect(await call(body.secret, 'setup')).toBe(401);
});

test('over REST, an org_scope key acts for its person’s account, where it needs a personal grant (G6)', async () => {
  const grants = [{ scope: { type: 'personal' }, permissions: ['can_view_prompts'] }];
  const { secret } = await createKey(owner, { org_scope: acme, grants });
  const withoutGrant = await createKey(owner, { org_scope: acme });
  const prompts = (key: string) =>
    owner.person.ask({ path: '/api/me/prompts', headers: { 'x-api-key': key } });

  expect((await prompts(secret)).status).toBe(200);
  expect((await prompts(withoutGrant.secret)).status).toBe(401);
});
