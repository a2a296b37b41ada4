import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { goodPassword } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { ADMIN, askAs, createRole, driftOf, MEMBER } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, createTeamRole, seatsOf } from '../../support/people/teams.ts';
import { scopedKeys } from './scoped-keys.ts';

const teams = await useTeams();
const created = await teams.organization();
const { owner, id: acme } = created;
const red = created.team.id;
const path = `/api/organizations/${acme}/keys`;
afterAll(async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});

const keys = scopedKeys(() => teams.otherGateway);
const { faults, call, rest } = keys;
const create = (who: SignedUp, fields: Record<string, unknown> = {}, keysPath = path) =>
  keys.create(who, fields, keysPath);
const edit = (who: SignedUp, id: string, body: object) => keys.edit(who, id, body, path);
const grantOf = (...permissions: string[]) => ({
  grants: [{ scope: { type: 'org', org_id: acme }, permissions }],
});
const members = () => ({ path: `/api/organizations/${acme}/members` });

test('a key of the organization is shown without policies, with its creator and its teams (K1)', async () => {
  const { status, body } = await create(owner, { mcp_capabilities: ['tools'] });

  expect(status).toBe(201);
  expect(body).toMatchObject({
    organization_id: acme,
    follows_teams: true,
    teams: [{ id: red, name: 'red', available: true, tool_policy: { mode: 'all' } }],
    created_by: { account_id: owner.account_id, email: owner.email },
  });
  for (const absent of ['org_scope', 'tool_policy', 'follows_memberships'])
    expect(body).not.toHaveProperty(absent);
  const { secret: _secret, ...record } = body;
  expect((await askAs(owner, { path: `${path}/${body.id}` })).body).toEqual(record);
  const listed = await askAs<{ data: { id: string }[] }>(owner, { path });
  expect(listed.body.data.map(({ id }) => id)).toContain(body.id);
  const own = await askAs<{ data: { id: string }[] }>(owner, { path: '/api/keys?limit=200' });
  expect(
    own.body.data.map(({ id }) => id),
    'it is nobody’s own',
  ).not.toContain(body.id);
});

test('a key of the organization acts for no person: over MCP in its organization, over REST by its grants (G6)', async () => {
  const { body: key } = await create(owner, {
    ...grantOf('can_invite_organization_members'),
    mcp_capabilities: ['tools'],
  });
  const { body: bare } = await create(owner);

  expect([await call(key.secret), await call(bare.secret)]).toEqual([
    'tool_not_permitted',
    'capability_denied',
  ]);
  expect((await rest(owner, key, members())).status).toBe(200);
  expect((await rest(owner, bare, members())).status).toBe(404);
  expect((await rest(owner, key, { path: `/api/organizations/${acme}/roles` })).status).toBe(403);
  expect((await rest(owner, key, { path: '/api/me/prompts' })).status).toBe(401);
  const { id } = await teams.organization();
  const elsewhere = { path: `/api/organizations/${id}/members` };
  expect((await rest(owner, key, elsewhere)).status).toBe(404);
  const listed = await rest(owner, key, { path: '/api/organizations' });
  expect(listed.body).toMatchObject({
    data: [{ id: acme, membership: { roles: [], capabilities: ['tools'] } }],
  });
  await expect
    .poll(() =>
      teams.world.query('SELECT DISTINCT owner_id FROM usage_ledger WHERE key_id = $1', [key.id]),
    )
    .toEqual([{ owner_id: acme }]);
});

test('a name is unique among the active keys of the organization', async () => {
  const name = randomUUID();
  const first = await create(owner, { name });
  expect(faults(await create(owner, { name }))).toEqual([409, 'name_taken /name']);
  expect((await keys.create(owner, { name })).status, 'not among people’s').toBe(201);
  await askAs(owner, { method: 'DELETE', path: `${path}/${first.body.id}` });
  expect((await create(owner, { name })).status).toBe(201);
});

test('a key of the organization has grants only for that organization, and no item policies (G4, K1)', async () => {
  const { id } = await teams.organization();
  const refused = await create(owner, {
    grants: [
      { scope: { type: 'personal' }, permissions: ['can_view_tools'] },
      { scope: { type: 'org', org_id: id }, permissions: [] },
    ],
    prompt_policy: { mode: 'whitelist', prompts: [randomUUID()] },
  });
  expect(faults(refused)).toEqual([
    422,
    'grant_not_applicable /grants/0/scope',
    'grant_not_applicable /grants/1/scope',
    'policy_not_applicable /prompt_policy',
  ]);
});

test('a key of the organization has at most what its creator holds at creation, whatever the creator loses later (G2, C5)', async () => {
  const role = await createRole(owner, acme, {
    name: 'Keeper',
    permissions: ['can_create_organization_api_keys', 'can_view_organization_members'],
    capabilities: ['tools'],
  });
  const creator = await teams.join(acme, 'may', [role.id]);
  const wide = {
    ...{ mcp_capabilities: ['tools', 'agents'], team_ids: [] },
    ...grantOf('can_view_organization_roles'),
  };
  expect(faults(await create(creator, wide))).toEqual([
    422,
    'permission_not_held /grants/0/permissions/0',
    'capability_escalation /mcp_capabilities/1',
  ]);
  const { body: key } = await create(creator, {
    ...{ mcp_capabilities: ['tools'], team_ids: [] },
    ...grantOf('can_view_organization_members'),
  });

  const member = `/api/organizations/${acme}/members/${creator.account_id}`;
  await askAs(owner, { method: 'PATCH', path: member, body: { role_ids: [MEMBER] } });
  expect(await call(key.secret)).toBe('tool_not_permitted');
  expect((await rest(owner, key, members())).status).toBe(200);
  await askAs(owner, { method: 'DELETE', path: member });
  expect(await call(key.secret)).toBe('tool_not_permitted');
});

test('a team permission must be held in every team of the key, and only someone who manages all teams can grant it for all of them (G2)', async () => {
  const blue = (await createTeam(owner, acme, `blue-${randomUUID().slice(0, 8)}`)).id;
  const viewer = await createTeamRole(owner, `/api/organizations/${acme}/team-roles`, {
    name: `Viewer ${blue}`,
    permissions: ['can_view_team_members'],
  });
  const role = await createRole(owner, acme, {
    name: `Keys ${blue}`,
    permissions: ['can_create_organization_api_keys', 'can_update_organization_api_keys'],
  });
  const creator = await teams.join(acme, 'may', [role.id]);
  await seatsOf(acme, red).add(owner, creator, [viewer.id]);
  await seatsOf(acme, blue).add(owner, creator);
  const draft = (team_ids: string[] | null) => ({
    ...grantOf('can_view_team_members'),
    team_ids,
  });
  const refusal = [422, 'permission_not_held /grants/0/permissions/0'];
  expect(faults(await create(creator, draft([red, blue])))).toEqual(refusal);
  expect(faults(await create(creator, draft(null)))).toEqual([
    ...[422, 'permission_not_held /team_ids', refusal[1]],
  ]);

  const { body: key } = await create(creator, draft([red]));
  const inTeam = (team: string) => ({ path: `/api/organizations/${acme}/teams/${team}/members` });
  expect((await rest(owner, key, inTeam(red))).status).toBe(200);
  expect((await rest(owner, key, inTeam(blue))).status, 'not bound').toBe(404);
  expect(faults(await edit(creator, key.id, { team_ids: [blue] }))).toEqual([
    422,
    'permission_not_held /team_ids',
  ]);
  expect((await edit(owner, key.id, { team_ids: [blue] })).status).toBe(200);
  expect((await rest(owner, key, inTeam(red))).status).toBe(404);
  expect((await rest(owner, key, inTeam(blue))).status).toBe(200);
});

test('a key that follows all teams is active on teams created later, and no longer on deleted ones', async () => {
  const { body: key } = await create(owner, grantOf('can_view_team_members'));
  const later = await createTeam(owner, acme, `later-${randomUUID().slice(0, 8)}`);
  const request = { path: `/api/organizations/${acme}/teams/${later.id}/members` };
  expect((await rest(owner, key, request)).status).toBe(200);

  const team = `/api/organizations/${acme}/teams/${later.id}`;
  await askAs(owner, { method: 'DELETE', path: team, body: { confirm: later.name } });
  expect((await rest(owner, key, request)).status).toBe(404);
});

test('changing a key of the organization needs a permission and a session; reading one needs `can_view_organization_api_keys`', async () => {
  const { body: key } = await create(owner, grantOf('can_view_organization_api_keys'));
  const someone = await teams.join(acme, 'someone');
  const record = { path: `${path}/${key.id}` };

  expect((await rest(owner, key, record)).status).toBe(200);
  for (const method of ['PATCH', 'DELETE'] as const)
    expect((await rest(owner, key, { ...record, method, body: {} })).status).toBe(403);
  expect(faults(await askAs(someone, record))).toEqual([403, 'permission_denied']);
  const unknown = { path: `${path}/${randomUUID()}` };
  expect((await askAs(someone, unknown)).status, '404 comes before 403').toBe(404);
  const { owner: stranger } = await teams.organization();
  expect((await askAs(stranger, record)).status).toBe(404);
});

test('a revoked key gets a 401 at its next request, and so does every key of a deleted organization', async () => {
  const { id, owner: other } = await teams.organization();
  const keysPath = `/api/organizations/${id}/keys`;
  const { body: revoked } = await create(other, {}, keysPath);
  const { body: left } = await create(other, { mcp_capabilities: ['tools'] }, keysPath);
  expect(await call(revoked.secret, 'setup')).toBe(200);
  const deletion = await askAs(other, { method: 'DELETE', path: `${keysPath}/${revoked.id}` });
  expect([deletion.status, await call(revoked.secret, 'setup')]).toEqual([204, 401]);

  await askAs(other, {
    method: 'DELETE',
    path: `/api/organizations/${id}`,
    body: { confirm: 'Acme', current_password: goodPassword },
  });
  expect(await call(left.secret, 'setup')).toBe(401);
  await expect
    .poll(() => teams.world.query('SELECT FROM organization WHERE id = $1', [id]))
    .toEqual([]);
  expect(await call(left.secret, 'setup')).toBe(401);
});

test('a suspended organization’s keys get a 403, and can still be revoked', async () => {
  const { id, owner: other } = await teams.organization();
  const keysPath = `/api/organizations/${id}/keys`;
  const { body: key } = await create(other, {}, keysPath);
  await teams.gateway.service.organizations.setStatus(id, 'suspended');

  expect(await call(key.secret, 'setup')).toBe(403);
  expect(faults(await create(other, {}, keysPath))).toEqual([403, 'organization_suspended']);
  const deletion = await askAs(other, { method: 'DELETE', path: `${keysPath}/${key.id}` });
  expect(deletion.status).toBe(204);
});

test('preview and explain decide as the key would (K2)', async () => {
  const { body: preview } = await askAs<{ visible: object; errors: object[] }>(owner, {
    path: `${path}/preview`,
    body: { name: randomUUID(), mcp_capabilities: ['tools'] },
  });
  expect(preview).toMatchObject({ visible: { tools: [{ name: 'setup' }, {}, {}] }, errors: [] });

  const { body: key } = await create(owner, { mcp_capabilities: ['tools'] });
  const explain = `${path}/${key.id}/explain?tool=calculator`;
  const { body } = await askAs<{ outcome: string; steps: { rule: string; outcome: string }[] }>(
    owner,
    { path: explain },
  );
  expect(body.outcome).toBe('deny');
  const outcomes = Object.fromEntries(body.steps.map(({ rule, outcome }) => [rule, outcome]));
  expect(outcomes).toMatchObject({
    can_connect: 'allow',
    can_use_tools: 'allow',
    selected: 'deny',
  });
});

test('the second of two concurrent changes of a key is decided on the result of the first (C5)', async () => {
  const { body: key } = await create(owner, { team_ids: [red] });
  const admin = await teams.join(acme, 'admin', [ADMIN]);
  const answers = await Promise.all([
    edit(owner, key.id, { mcp_capabilities: ['tools'] }),
    edit(admin, key.id, { team_ids: null }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect((await askAs(owner, { path: `${path}/${key.id}` })).body).toMatchObject({
    mcp_capabilities: ['tools'],
    follows_teams: true,
  });
});
