import { expect, test } from 'vitest';
import type { OrganizationRecord } from '../../../src/organizations/schema.ts';
import type { TeamRecord } from '../../../src/organizations/teams/schema.ts';
import { createKey, goodPassword, sortedStatuses } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { askAs, at, createRole, driftOf, outcomeOf } from '../../support/people/organizations.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createTeam, seatsOf, TEAM_ADMIN } from '../../support/people/teams.ts';

const teams = await useTeams();

type Listed = { data: TeamRecord[]; next_cursor: string | null };
const list = (who: SignedUp, id: string, query = '') =>
  askAs<Listed>(who, { path: `/api/organizations/${id}/teams${query}` });
const edit = (who: SignedUp, path: string, body: object) =>
  askAs<TeamRecord>(who, { method: 'PATCH', path, body });
const remove = (who: SignedUp, path: string, confirm: string) =>
  askAs(who, { method: 'DELETE', path, body: { confirm } });

test('a person who creates a team in a session becomes its team_admin, with all 40 permissions and no capability (C4)', async () => {
  const { id, owner, team, path } = await teams.organization();

  expect(team).toEqual({
    ...{ id: expect.any(String), name: 'red', title: 'red', description: '' },
    ...{ members: 1, created_at: expect.any(String) },
    membership: {
      roles: [{ id: TEAM_ADMIN, name: 'team_admin' }],
      permissions: expect.any(Array),
      capabilities: [],
    },
  });
  expect(team.membership?.permissions).toHaveLength(40);
  expect((await askAs(owner, { path })).body).toEqual(team);
  const { body } = await askAs<OrganizationRecord>(owner, { path: `/api/organizations/${id}` });
  expect(body.membership.teams).toEqual([{ id: team.id, name: 'red' }]);
});

test('creating a team requires the permission, and grants access to that team only', async () => {
  const { id, owner } = await teams.organization();
  const founderRole = await createRole(owner, id, {
    name: 'Founder',
    permissions: ['can_update_organization_teams'],
  });
  const [bob, member] = [await teams.join(id, 'bob', [founderRole.id]), await teams.join(id)];
  const draft = { path: `/api/organizations/${id}/teams`, body: { name: 'green' } };

  expect(outcomeOf(await askAs(member, draft))).toEqual([403, 'permission_denied']);
  const made = await askAs<TeamRecord>(bob, draft);

  expect(made.body.membership?.roles).toEqual([{ id: TEAM_ADMIN, name: 'team_admin' }]);
  expect((await seatsOf(id, made.body.id).add(bob, member, [TEAM_ADMIN])).status).toBe(201);
});

test.each<[string, object, number, string]>([
  ['no name', {}, 400, 'invalid_body'],
  ['a reserved name', { name: 'organization' }, 400, 'invalid_body'],
  ['the reserved name me', { name: 'me' }, 400, 'invalid_body'],
  ['a name that contains the separator', { name: 'a__b' }, 400, 'invalid_body'],
  ['a name of 65 characters', { name: 'a'.repeat(65) }, 400, 'invalid_body'],
  ['an invisible title', { name: 'blue', title: '​' }, 400, 'invalid_body'],
  ['a name in use', { name: 'red' }, 409, 'name_taken'],
])('%s is refused, on creation and on edit', async (_what, body, status, code) => {
  const { id, owner } = await teams.organization();
  const other = await createTeam(owner, id, 'other');

  const made = await askAs(owner, { path: `/api/organizations/${id}/teams`, body });

  expect(outcomeOf(made)).toEqual([status, code]);
  if (Object.keys(body).length > 0)
    expect(outcomeOf(await edit(owner, seatsOf(id, other.id).path, body))).toEqual([status, code]);
  expect((await list(owner, id)).body.data.map(({ name }) => name)).toEqual(['red', 'other']);
});

test('a team name is unique within an organization, even for ten concurrent requests', async () => {
  const [one, two] = [await teams.organization(), await teams.organization()];
  const body = { name: 'blue' };

  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      askAs(at(one.owner, index % 2 ? teams.gateway : teams.otherGateway), {
        path: `/api/organizations/${one.id}/teams`,
        body,
      }),
    ),
  );

  expect(sortedStatuses(answers)).toEqual([201, ...Array(9).fill(409)]);
  expect((await createTeam(two.owner, two.id, 'blue')).name).toBe('blue');
});

test('only the fields in the request change; the audit log records the values before and after', async () => {
  const { owner, team, path } = await teams.organization();

  const edited = await edit(owner, path, { title: 'Red team', description: 'Attacks.' });

  expect(edited.body).toEqual({ ...team, title: 'Red team', description: 'Attacks.' });
  expect((await edit(owner, path, { name: 'crimson' })).body.name).toBe('crimson');
  const [row] = await teams.world.query<{ detail: unknown }>(
    `SELECT detail FROM audit_event WHERE action = 'team.update' ORDER BY at DESC LIMIT 1`,
  );
  const before = { name: 'red', title: 'Red team', description: 'Attacks.' };
  expect(row?.detail).toEqual({ before, after: { ...before, name: 'crimson' } });
});

test('members can list and get the teams they are in, or all teams with the permission', async () => {
  const { id, owner, team, path, add } = await teams.organization();
  const green = await createTeam(owner, id, 'green');
  const viewerRole = await createRole(owner, id, {
    name: 'Viewer',
    permissions: ['can_view_organization_teams'],
  });
  const [bob, viewer] = [await teams.join(id, 'bob'), await teams.join(id, 'vic', [viewerRole.id])];
  expect((await list(bob, id)).body.data).toEqual([]);
  expect(outcomeOf(await askAs(bob, { path }))).toEqual([404, 'not_found']);

  await add(owner, bob);

  expect((await list(bob, id)).body.data).toEqual([
    { ...team, members: 2, membership: { roles: [], permissions: [], capabilities: [] } },
  ]);
  expect((await askAs(bob, { path })).status).toBe(200);
  expect((await askAs(bob, { path: seatsOf(id, green.id).path })).status).toBe(404);
  const first = await list(viewer, id, '?limit=1');
  const rest = await list(viewer, id, `?limit=1&cursor=${first.body.next_cursor}`);
  expect([first, rest].flatMap(({ body }) => body.data.map(({ name }) => name))).toEqual([
    'red',
    'green',
  ]);
  expect((await askAs<TeamRecord>(viewer, { path })).body.membership).toBeNull();
  // Seeing a team's record gives no access to its members.
  expect(outcomeOf(await askAs(viewer, { path: `${path}/members` }))).toEqual([404, 'not_found']);
});

test('a team’s record shows what the credential of the request may do there, not its person', async () => {
  const { id, owner, team, path } = await teams.organization();
  const grants = (...permissions: string[]) => [
    { scope: { type: 'org', org_id: id }, permissions },
  ];
  const viewing = 'can_view_organization_teams';
  const { secret: outside } = await createKey(owner, { grants: grants(viewing) });
  const { secret: active } = await createKey(owner, {
    ...{ org_scope: id, mcp_capabilities: ['tools'] },
    grants: grants(viewing, 'can_update_team_members'),
  });
  const made = await askAs<{ secret: string }>(owner, {
    path: `/api/organizations/${id}/keys`,
    body: {
      ...{ name: 'ci', mcp_capabilities: ['tools'], grants: grants('can_view_team_usage') },
    },
  });
  const membershipOf = async (secret: string) => {
    const key = { ...owner, bearer: { 'x-api-key': secret } as never };
    const { body } = await askAs<TeamRecord>(key, { path });
    const [listed] = (await list(key, id)).body.data;
    expect(listed).toEqual({ ...body, id: team.id });
    return body.membership;
  };

  expect(await membershipOf(outside)).toBeNull();
  expect(await membershipOf(active)).toEqual({
    roles: [{ id: TEAM_ADMIN, name: 'team_admin' }],
    permissions: ['can_view_team_members', 'can_update_team_members'],
    capabilities: [],
  });
  expect(await membershipOf(made.body.secret)).toEqual({
    ...{ roles: [], permissions: ['can_view_team_usage'], capabilities: ['tools'] },
  });
});

test('an organization has at most 200 teams, not counting deleted ones', async () => {
  const { id, owner, path } = await teams.organization();
  await teams.world.query(
    `INSERT INTO team (id, organization_id, name, title, description)
     SELECT gen_random_uuid(), $1, 't' || n, 't', '' FROM generate_series(1, 198) n`,
    [id],
  );
  const create = (name: string, who = owner) =>
    askAs(who, { path: `/api/organizations/${id}/teams`, body: { name } });

  const answers = await Promise.all([create('one'), create('two', at(owner, teams.otherGateway))]);

  expect(sortedStatuses(answers)).toEqual([201, 422]);
  expect(outcomeOf(await create('three'))).toEqual([422, 'limit_reached']);
  await remove(owner, path, 'red');
  expect((await create('three')).status).toBe(201);
});

test('requests to a team of another organization get a 404, even from a person who manages every team in their own', async () => {
  const [one, two] = [await teams.organization(), await teams.organization()];
  const foreign = `/api/organizations/${one.id}/teams/${two.team.id}`;

  for (const request of [
    { path: foreign },
    { method: 'PATCH', path: foreign, body: { title: 'Mine' } },
    { method: 'DELETE', path: foreign, body: { confirm: 'red' } },
    { path: `${foreign}/members` },
    { path: `${foreign}/members`, body: { account_id: one.owner.account_id } },
    { method: 'DELETE', path: `${foreign}/members/${two.owner.account_id}` },
  ])
    expect(outcomeOf(await askAs(one.owner, request))).toEqual([404, 'not_found']);
});

test('requests to a deleted team immediately get a 404 on every gateway; its seats and tuples are removed', async () => {
  const { id, owner, team, path, add } = await teams.organization();
  const people = [];
  for (let index = 0; index < 23; index += 1) {
    const person = await teams.join(id);
    people.push(person);
    expect((await add(owner, person, [TEAM_ADMIN])).status).toBe(201);
  }
  const [bob] = people as [SignedUp];
  const read = () => askAs(at(bob, teams.otherGateway), { path: `${path}/members` });
  expect((await read()).status).toBe(200);

  expect(outcomeOf(await remove(owner, path, 'Red'))).toEqual([422, 'confirmation_mismatch']);
  expect((await remove(bob, path, ' red ')).status).toBe(204);

  expect(outcomeOf(await read())).toEqual([404, 'not_found']);
  expect(outcomeOf(await askAs(owner, { path }))).toEqual([404, 'not_found']);
  expect((await list(bob, id)).body.data).toEqual([]);
  expect(outcomeOf(await remove(owner, path, 'red'))).toEqual([404, 'not_found']);
  // The name can be used again at once.
  expect((await createTeam(owner, id, 'red')).id).not.toBe(team.id);
  const left = () => teams.world.query('SELECT id FROM team WHERE id = $1', [team.id]);
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
  expect(await teams.world.query('SELECT FROM team_member WHERE team_id = $1', [team.id])).toEqual(
    [],
  );
});

test('deleting an organization deletes its teams', async () => {
  const { id, owner, add, path } = await teams.organization();
  const bob = await teams.join(id);
  await add(owner, bob, [TEAM_ADMIN]);

  const body = { confirm: 'Acme', current_password: goodPassword };
  const deletion = { method: 'DELETE', path: `/api/organizations/${id}`, body };
  expect((await askAs(owner, deletion)).status).toBe(204);

  expect(outcomeOf(await askAs(bob, { path }))).toEqual([404, 'not_found']);
  const left = () => teams.world.query('SELECT id FROM organization WHERE id = $1', [id]);
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
  expect(await teams.world.query('SELECT FROM team WHERE organization_id = $1', [id])).toEqual([]);
});

test('after all these tests the tuples match the rows', async () => {
  const waiting = () => teams.world.query('SELECT id FROM team WHERE deleted_at IS NOT NULL');
  await expect.poll(waiting, { timeout: 20_000 }).toEqual([]);
  expect(await driftOf(teams.gateway)).toEqual([]);
});
