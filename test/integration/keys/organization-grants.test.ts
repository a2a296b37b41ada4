import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { ADMIN, askAs, createRole, driftOf, MEMBER } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, createTeamRole, seatsOf, TEAM_ADMIN } from '../../support/people/teams.ts';
import { scopedKeys } from './scoped-keys.ts';
import type { Key } from './scoped-keys.ts';

const teams = await useTeams();
const { owner, id: acme } = await teams.organization();
afterAll(async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});

const { create, edit, faults, call, rest } = scopedKeys(() => teams.otherGateway);
const grantOf = (id: string, ...permissions: string[]) => ({
  grants: [{ scope: { type: 'org', org_id: id }, permissions }],
});
const members = (id = acme) => ({ path: `/api/organizations/${id}/members` });

test('a key needs a grant for the organization, and the permission in it (G6)', async () => {
  const withoutGrant = await create(owner, {});
  const bare = await create(owner, grantOf(acme));
  const invitingKey = await create(owner, grantOf(acme, 'can_invite_organization_members'));

  expect((await rest(owner, withoutGrant.body, members())).status).toBe(404);
  expect(await rest(owner, bare.body, members())).toMatchObject({
    status: 403,
    body: { errors: [{ detail: { permission: 'can_view_organization_members' } }] },
  });
  expect(
    (await rest(owner, invitingKey.body, members())).status,
    'a mutation implies its view (G1)',
  ).toBe(200);
  expect((await rest(owner, invitingKey.body, { path: '/api/me/prompts' })).status).toBe(401);
  expect(await call(invitingKey.body.secret, 'setup'), 'it still runs in its own account').toBe(
    200,
  );
});

test('a permission can be added to a grant only if the creator holds it (G2)', async () => {
  const role = await createRole(owner, acme, {
    name: 'Viewer',
    permissions: ['can_create_organization_roles'],
  });
  const creator = await teams.join(acme, 'may', [role.id]);
  const refused = await create(
    creator,
    grantOf(acme, 'can_view_organization_roles', 'can_remove_organization_members'),
  );
  expect(faults(refused)).toEqual([422, 'permission_not_held /grants/0/permissions/1']);
  const key = await create(creator, grantOf(acme, 'can_create_organization_roles'));
  expect(key.status).toBe(201);

  const path = `/api/organizations/${acme}/members/${creator.account_id}`;
  await askAs(owner, { method: 'PATCH', path, body: { role_ids: [MEMBER] } });
  const roles = { path: `/api/organizations/${acme}/roles` };
  expect((await rest(creator, key.body, roles)).status, 'bounded live').toBe(403);
  const kept = grantOf(acme, 'can_create_organization_roles');
  expect((await edit(creator, key.body.id, { ...kept, name: key.body.id })).status).toBe(200);
  const wider = grantOf(acme, 'can_create_organization_roles', 'can_view_organization_members');
  expect(faults(await edit(creator, key.body.id, wider))).toEqual([
    422,
    'permission_not_held /grants/0/permissions/1',
  ]);
});

test('a key keeps what a removed permission implied, even if its person has lost that, and in other teams only what the person has there (G1, G2)', async () => {
  const permissions = ['can_update_organization_roles'];
  const role = await createRole(owner, acme, { name: 'Updater', permissions });
  const person = await teams.join(acme, 'may', [role.id]);
  const shared = `/api/organizations/${acme}/team-roles`;
  const updating = { name: 'Updating', permissions: ['can_update_team_members'] };
  const inTeam = await createTeamRole(owner, shared, updating);
  const [amber, cyan] = [
    await createTeam(owner, acme, 'amber'),
    await createTeam(owner, acme, 'cyan'),
  ];
  await seatsOf(acme, amber.id).add(owner, person, [inTeam.id]);
  await seatsOf(acme, cyan.id).add(owner, person);
  const { body: key } = await create(person, {
    ...grantOf(acme, ...permissions, 'can_update_team_members'),
    ...{ org_scope: acme, team_ids: [amber.id] },
  });
  const path = `/api/organizations/${acme}/members/${person.account_id}`;
  await askAs(owner, { method: 'PATCH', path, body: { role_ids: [MEMBER] } });

  const reduced = grantOf(acme, 'can_view_organization_roles', 'can_view_team_members');
  expect(faults(await edit(person, key.id, { ...reduced, team_ids: [cyan.id] }))).toEqual([
    ...[422, 'permission_not_held /team_ids', 'permission_not_held /team_ids'],
  ]);
  expect((await edit(person, key.id, reduced)).status).toBe(200);
  const back = grantOf(acme, 'can_update_organization_roles');
  expect(faults(await edit(person, key.id, back))).toEqual([
    ...[422, 'permission_not_held /grants/0/permissions/0'],
  ]);
});

test('permissions reserved for the Owner, and unknown ones, cannot be granted (G3)', async () => {
  const names = ['can_delete_organization', 'can_fly', 'can_view_tools'];
  expect(faults(await create(owner, grantOf(acme, ...names)))).toEqual([
    422,
    'permission_not_grantable /grants/0/permissions/0',
    'unknown_permission /grants/0/permissions/1',
    'unknown_permission /grants/0/permissions/2',
  ]);
});

test('a permission that no key can use is accepted, and a preview warns of it', async () => {
  const permissions = ['can_view_organization_members', 'can_create_organization_api_keys'];
  const draft = { name: randomUUID(), mcp_capabilities: [], ...grantOf(acme, ...permissions) };
  const path = '/api/keys/preview';
  const previewed = await askAs<{ warnings: object[]; errors: object[] }>(owner, {
    ...{ path, body: draft },
  });

  expect([previewed.status, previewed.body.errors]).toEqual([200, []]);
  expect(previewed.body.warnings).toEqual([
    {
      code: 'permission_without_effect',
      message: expect.any(String),
      detail: { pointer: '/grants/0/permissions/1', permission: permissions[1] },
    },
  ]);
  expect((await create(owner, grantOf(acme, ...permissions))).status).toBe(201);
  const ofOrganization = await askAs<{ warnings: object[] }>(owner, {
    ...{ path: `/api/organizations/${acme}/keys/preview`, body: draft },
  });
  expect(ofOrganization.body.warnings).toEqual(previewed.body.warnings);
});

test('a grant cannot name an organization that the creator is not a member of (G5)', async () => {
  const { id } = await teams.organization();
  expect(faults(await create(owner, grantOf(id)))).toEqual([
    422,
    'not_a_member /grants/0/scope/org_id',
  ]);
});

test('a key lists the organizations that it has a grant for, with what it may do there', async () => {
  const admin = await teams.join(acme, 'admin', [ADMIN]);
  const permissions = ['can_update_organization_roles'];
  const { body: key } = await create(admin, {
    ...grantOf(acme, ...permissions),
    ...{ org_scope: acme, mcp_capabilities: ['tools'] },
  });
  const other = await create(admin, {});
  const list = { path: '/api/organizations' };
  const shown = {
    id: acme,
    membership: {
      permissions: ['can_view_organization_roles', 'can_update_organization_roles'],
      capabilities: ['tools'],
    },
  };

  expect((await rest(admin, key, list)).body).toMatchObject({ data: [shown] });
  expect((await rest(admin, other.body, list)).body).toMatchObject({ data: [] });
});

test('a key can grant a capability that it has by a role of its person, and no other (C5)', async () => {
  const { body: green } = await askAs<{ id: string }>(owner, {
    path: `/api/organizations/${acme}/teams`,
    body: { name: 'green' },
  });
  const agents = await createTeamRole(owner, `/api/organizations/${acme}/team-roles`, {
    name: 'Agents',
    capabilities: ['agents'],
  });
  const { path: team, add } = seatsOf(acme, green.id);
  const toolsRole = await createRole(owner, acme, {
    name: 'Tools',
    permissions: ['can_create_organization_roles'],
    capabilities: ['tools', 'prompts'],
  });
  const person = await teams.join(acme, 'may', [toolsRole.id]);
  await add(owner, person, [agents.id, TEAM_ADMIN]);
  const grants = grantOf(acme, 'can_create_organization_roles', 'can_create_team_roles');
  const capabilities = { mcp_capabilities: ['tools', 'agents'] };
  const { body: scoped } = await create(person, { ...grants, ...capabilities, org_scope: acme });
  const { body: elsewhere } = await create(person, { ...grants, ...capabilities });
  let created = 0;
  const giveRole = (key: Key, capability: string, path = `/api/organizations/${acme}`) =>
    rest(person, key, {
      path: `${path}/roles`,
      body: { name: `role ${(created += 1)}`, capabilities: [capability] },
    });
  const escalation = [422, 'capability_escalation /capabilities/0'];

  expect((await giveRole(scoped, 'tools')).status).toBe(201);
  expect(faults(await giveRole(scoped, 'prompts')), 'the key does not declare it').toEqual(
    escalation,
  );
  expect(faults(await giveRole(scoped, 'agents')), 'only in a team').toEqual(escalation);
  expect(faults(await giveRole(elsewhere, 'tools')), 'the key runs elsewhere').toEqual(escalation);
  expect((await giveRole(scoped, 'tools', team)).status).toBe(201);
  expect((await giveRole(scoped, 'agents', team)).status).toBe(201);
  expect(faults(await giveRole(scoped, 'prompts', team))).toEqual(escalation);
});

test('leaving ends what a grant gives, and joining again restores it (A6)', async () => {
  const admin = await teams.join(acme, 'admin', [ADMIN]);
  const { body: key } = await create(admin, grantOf(acme, 'can_view_organization_members'));
  expect((await rest(admin, key, members())).status).toBe(200);

  const path = `${members().path}/${admin.account_id}`;
  await askAs(admin, { method: 'DELETE', path });
  expect((await rest(admin, key, members())).status).toBe(404);
  const added = grantOf(acme, 'can_view_organization_members', 'can_view_organization_roles');
  expect(faults(await edit(admin, key.id, added))).toEqual([
    422,
    'not_a_member /grants/0/scope/org_id',
  ]);
  await teams.joins.add(acme, admin, [ADMIN]);
  expect((await rest(admin, key, members())).status).toBe(200);
  expect((await edit(admin, key.id, { grants: [] })).status).toBe(200);
  expect((await rest(admin, key, members())).status).toBe(404);
});
