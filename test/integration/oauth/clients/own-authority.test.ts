import { afterAll, expect, test } from 'vitest';
import { askAs, createRole, driftOf, MEMBER } from '../../../support/people/organizations.ts';
import { goodPassword } from '../../../support/people/people.ts';
import { useTeams } from '../../../support/worlds/use-teams.ts';
import { createTeam, createTeamRole, seatsOf, TEAM_ADMIN } from '../../../support/people/teams.ts';
import {
  clientsIn,
  edit,
  faults,
  hybridDraft,
  machineDraft,
  publicDraft,
  register,
  registered,
} from './registering.ts';

const teams = await useTeams();
const created = await teams.organization();
const { owner, id: acme } = created;
const red = created.team.id;
const blue = (await createTeam(owner, acme, 'blue')).id;
const path = clientsIn(acme);
const keeperRole = await createRole(owner, acme, {
  name: 'Keeper',
  permissions: [
    'can_create_organization_oauth_clients',
    'can_update_organization_oauth_clients',
    'can_view_organization_members',
  ],
  capabilities: ['tools'],
});
const keeper = await teams.join(acme, 'keeper', [keeperRole.id]);
const viewer = await createTeamRole(owner, `/api/organizations/${acme}/team-roles`, {
  name: 'Viewer',
  permissions: ['can_view_team_members'],
});
await seatsOf(acme, red).add(owner, keeper, [viewer.id]);
afterAll(async () => {
  expect(await driftOf(teams.gateway)).toEqual([]);
});

interface Machine {
  id: string;
  scopes: string[];
  follows_teams: boolean;
}
const machinesOf = (client_id: string) =>
  teams.world.query<Machine>(
    `SELECT id, scopes, follows_teams FROM oauth_connection
     WHERE client_id = $1 AND kind = 'machine' AND revoked_at IS NULL`,
    [client_id],
  );

/** What a member with few permissions asks for, and what is refused. */
const drafts: [what: string, fields: () => object, expected: (number | string)[]][] = [
  ['what they hold', () => ({ allowed_scopes: ['mcp_tools', 'read:organization_members'] }), [201]],
  [
    'scopes that they do not hold',
    () => ({ allowed_scopes: ['read:organization_members', 'read:organization_roles'] }),
    [422, 'permission_not_held /allowed_scopes/1'],
  ],
  [
    'a mutation of which they hold the view alone',
    () => ({ allowed_scopes: ['invite:organization_members'] }),
    [422, 'permission_not_held /allowed_scopes/0'],
  ],
  [
    'an mcp scope that they do not hold',
    () => ({ allowed_scopes: ['mcp_tools', 'mcp_agents'] }),
    [422, 'capability_escalation /allowed_scopes/1'],
  ],
  [
    'a team permission in their team',
    () => ({ allowed_scopes: ['read:team_members'], team_ids: [red] }),
    [201],
  ],
  [
    'a team permission in no team',
    () => ({ allowed_scopes: ['read:team_members'], team_ids: [] }),
    [422, 'permission_not_held /allowed_scopes/0'],
  ],
  [
    'a team that they are not in',
    () => ({ allowed_scopes: ['mcp_tools'], team_ids: [red, blue] }),
    [422, 'unknown_team /team_ids/1'],
  ],
  ['all teams', () => ({ team_ids: null }), [422, 'permission_not_held /team_ids']],
  [
    'the power over all teams',
    () => ({ allowed_scopes: ['write:all_organization_teams'] }),
    [422, 'permission_not_held /allowed_scopes/0'],
  ],
];

test.each(drafts)(
  'a member registers a client that acts by itself with %s: %3$j (SC4)',
  async (_what, fields, expected) => {
    for (const draft of [machineDraft, hybridDraft])
      expect(faults(await register(keeper, path, { ...draft, ...fields() }))).toEqual(expected);
  },
);

test('a team permission of a client that acts by itself must be held in each of its teams (SC4)', async () => {
  const green = (await createTeam(owner, acme, 'green')).id;
  const inGreen = seatsOf(acme, green);
  await inGreen.add(owner, keeper);
  const draft = { ...machineDraft, allowed_scopes: ['read:team_members'], team_ids: [red, green] };

  expect(faults(await register(keeper, path, draft))).toEqual([
    ...[422, 'permission_not_held /allowed_scopes/0'],
  ]);
  await inGreen.setRoles(owner, keeper, [TEAM_ADMIN]);
  expect((await register(keeper, path, draft)).status).toBe(201);
  await inGreen.remove(owner, keeper);
});

test('what a client may do that acts as its people is not limited by its registrar, whose teams it is bound to (SC4)', async () => {
  const allowed_scopes = [
    'mcp_agents',
    'delete:organization_roles',
    'write:all_organization_teams',
  ];
  const draft = { ...publicDraft, allowed_scopes };

  expect((await register(keeper, path, { ...draft, team_ids: null })).status).toBe(201);
  expect((await register(keeper, path, { ...draft, team_ids: [red] })).status).toBe(201);
  expect(faults(await register(keeper, path, { ...draft, team_ids: [blue] }))).toEqual([
    422,
    'unknown_team /team_ids/0',
  ]);
});

test('a client that acts by itself gets its machine connection at once, and its edits apply to it', async () => {
  const client = await registered(owner, path, { ...machineDraft, team_ids: [red] });
  expect(client).toMatchObject({ connections: 1, teams: [{ id: red, name: 'red' }] });
  const [machine] = await machinesOf(client.id);
  expect(machine).toMatchObject({ scopes: ['mcp_tools'], follows_teams: false });

  const edited = await edit(owner, client.path, {
    allowed_scopes: ['mcp_tools', 'create:organization_prompts'],
    team_ids: null,
  });
  expect(edited.body).toMatchObject({ follows_memberships: true, teams: [], connections: 1 });
  const scopes = ['mcp_tools', 'read:organization_prompts', 'create:organization_prompts'];
  expect(await machinesOf(client.id)).toEqual([{ id: machine!.id, scopes, follows_teams: true }]);
});

test('disabling or deleting ends the machine connection, enabling makes a new one; without the grant type there is none', async () => {
  const client = await registered(owner, path, hybridDraft);
  const [first] = await machinesOf(client.id);
  expect((await edit(owner, client.path, { disabled: true })).body.connections).toBe(0);
  expect(await machinesOf(client.id)).toEqual([]);
  await edit(owner, client.path, { allowed_scopes: ['mcp_tools', 'mcp_prompts'] });
  expect(await machinesOf(client.id)).toEqual([]);

  expect((await edit(owner, client.path, { disabled: false })).body.connections).toBe(1);
  const [second] = await machinesOf(client.id);
  expect(second).toMatchObject({ scopes: ['mcp_tools', 'mcp_prompts'] });
  expect(second!.id).not.toBe(first!.id);
  await edit(owner, client.path, { grant_types: ['authorization_code'] });
  expect(await machinesOf(client.id)).toEqual([]);
  await edit(owner, client.path, { grant_types: hybridDraft.grant_types });
  const [third] = await machinesOf(client.id);
  expect((await askAs(owner, { method: 'DELETE', path: client.path })).status).toBe(204);
  const left = await teams.world.query(
    `SELECT FROM oauth_connection WHERE id = $1 AND revoked_at IS NULL`,
    [third!.id],
  );
  expect(left).toEqual([]);
});

test('an editor of a client that acts by itself must hold all of it, or may only rename and disable it (SC4)', async () => {
  const client = await registered(owner, path, {
    ...hybridDraft,
    allowed_scopes: ['read:organization_members', 'read:organization_roles'],
  });
  const others = { allowed_scopes: ['read:organization_members'] };
  const refused = (field: string) => [422, `permission_not_held /${field}`];

  for (const [field, value] of Object.entries({
    redirect_uris: ['https://keeper.example/'],
    team_ids: [red],
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
  }))
    expect(faults(await edit(keeper, client.path, { [field]: value }))).toEqual(refused(field));
  const secret = await askAs(keeper, { path: `${client.path}/secrets`, body: {} });
  expect(secret.status).toBe(422);
  expect(secret.body.errors).toMatchObject([
    { code: 'permission_not_held', detail: { permission: 'can_view_organization_roles' } },
  ]);
  const disabled = await edit(keeper, client.path, { name: 'Mine', disabled: true });
  expect(disabled.body).toMatchObject({ name: 'Mine', disabled: true });
  expect(faults(await edit(keeper, client.path, { disabled: false }))).toEqual(refused('disabled'));
  // What remains is what counts.
  const narrowed = await edit(keeper, client.path, { ...others, disabled: false });
  expect(narrowed.body).toMatchObject({ ...others, disabled: false });
});

test('a client in a team that its editor cannot use is beyond the editor (SC4)', async () => {
  const client = await registered(owner, path, { ...hybridDraft, team_ids: [red, blue] });
  const redirect_uris = ['https://keeper.example/'];

  expect(faults(await edit(keeper, client.path, { redirect_uris }))).toEqual([
    422,
    'permission_not_held /redirect_uris',
  ]);
  const unbound = await edit(keeper, client.path, { redirect_uris, team_ids: [red] });
  expect(unbound.body.teams.map(({ id }) => id)).toEqual([red]);
});

test('what a client may do by itself does not follow the later roles of its registrar (SC4)', async () => {
  const role = await createRole(owner, acme, {
    name: 'Passing',
    permissions: ['can_create_organization_oauth_clients', 'can_view_organization_members'],
  });
  const registrar = await teams.join(acme, 'passing', [role.id]);
  const allowed_scopes = ['read:organization_members'];
  const client = await registered(registrar, path, { ...machineDraft, allowed_scopes });
  const member = `/api/organizations/${acme}/members/${registrar.account_id}`;
  await askAs(owner, { method: 'PATCH', path: member, body: { role_ids: [MEMBER] } });
  await askAs(owner, { method: 'DELETE', path: member });

  expect(await machinesOf(client.id)).toMatchObject([{ scopes: allowed_scopes }]);
  expect((await askAs(owner, { path: client.path })).body).toMatchObject({ allowed_scopes });
});

test('the second of two concurrent edits is decided on the result of the first (SC4)', async () => {
  const client = await registered(owner, path, {
    ...hybridDraft,
    allowed_scopes: ['read:organization_members'],
  });
  const answers = await Promise.all([
    edit(owner, client.path, {
      allowed_scopes: ['read:organization_members', 'read:organization_roles'],
    }),
    ...[1, 2, 3].map((number) =>
      edit(keeper, client.path, { redirect_uris: [`https://keeper.example/${number}`] }),
    ),
  ]);
  expect(answers[0].status).toBe(200);
  // The keeper's edits came before the owner's, or were refused.
  const edits = await teams.world.query<{ scopes: string[] }>(
    `SELECT detail->'after'->'allowed_scopes' AS scopes FROM audit_event
     WHERE action = 'oauth_client.update' AND actor_id = $1 AND detail::text LIKE '%keeper.example%'
       AND units::text LIKE $2`,
    [keeper.account_id, `%${client.id}%`],
  );
  expect(edits.every(({ scopes }) => scopes.length === 1)).toBe(true);
  const { body } = await askAs<typeof client>(owner, { path: client.path });
  expect(body.allowed_scopes).toHaveLength(2);
});

test('the clients of a deleted organization or account are gone, with their secrets', async () => {
  const other = await teams.organization();
  await registered(other.owner, clientsIn(other.id), machineDraft);
  await registered(other.owner, '/api/me/oauth-clients', { ...publicDraft, type: 'confidential' });
  const left = (column: string, id: string) =>
    teams.world.query(`SELECT id FROM oauth_client WHERE ${column} = $1`, [id]);
  expect(await left('organization_id', other.id)).toHaveLength(1);

  await askAs(other.owner, {
    method: 'DELETE',
    path: `/api/organizations/${other.id}`,
    body: { confirm: 'Acme', current_password: goodPassword },
  });
  expect((await askAs(other.owner, { path: clientsIn(other.id) })).status).toBe(404);
  await expect.poll(() => left('organization_id', other.id), { timeout: 10_000 }).toEqual([]);
  const deleted = await askAs(other.owner, {
    method: 'DELETE',
    path: '/api/user/account',
    body: { confirm: other.owner.email, current_password: other.owner.password },
  });
  expect([deleted.status, await left('account_id', other.owner.account_id)]).toEqual([204, []]);
});
